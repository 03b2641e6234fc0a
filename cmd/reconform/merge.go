package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/merge"
	"reconform.dev/reconform/internal/report/page"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

func newMergeCommand() *cobra.Command {
	var (
		reportDir string
		output    outputFlags
	)
	cmd := &cobra.Command{
		Use:   "merge DIR…",
		Short: "Make one verdict of several shards' reports",
		Long: `Merge the reports of runs that have judged shards of the same selection, for the same
profile, into one. The exit status is that of a run.

A shard of which there is no report makes the verdict inconclusive. A requirement that
failed in one report and passed in another is flaky, and counts as failed; one with the
same result in both counts once; where only one of them came to a conclusion, that is it.
Reports that do not belong together are refused.

The reports of explorations (reconform explore --shard) are merged in the same way: the causes
that several shards have found are one.`,
		Example: `  reconform run --shard 1/2 --report-dir reports/1   on one machine
  reconform run --shard 2/2 --report-dir reports/2   on another
  reconform merge reports/1 reports/2                the verdict on both`,
		Args: some("the folders with the reports of the shards", "reports/1 reports/2"),
		RunE: func(cmd *cobra.Command, dirs []string) error { return mergeReports(cmd, dirs, reportDir, output) },
	}
	cmd.Flags().StringVar(&reportDir, "report-dir", "reports", "`DIR` for the merged reports and the history")
	complete(cmd, "report-dir", folders)
	output.add(cmd)
	return cmd
}

func mergeReports(cmd *cobra.Command, dirs []string, reportDir string, output outputFlags) error {
	if err := output.check(); err != nil {
		return err
	}
	explored, err := merge.ReadExplored(dirs)
	if err != nil {
		return err
	}
	if len(explored) > 0 {
		return mergeExplored(cmd, explored, dirs, reportDir, output)
	}
	parts, err := merge.Read(dirs)
	if err != nil {
		return err
	}
	all, err := catalogue.Embedded()
	if err != nil {
		return err
	}
	merged, err := merge.Merge(parts, all, version)
	if err != nil {
		return err
	}
	held, err := holdApart(reportDir, dirs)
	if err != nil {
		return err
	}
	defer held.Release()
	written, failed := reportDir, writeMerged(cmd, reportDir, parts, merged)
	if failed != nil { // a full disk must not hide the verdict
		written = ""
	}
	if err := errors.Join(output.tell(cmd, merged, written, ""), failed); err != nil {
		return benchError{err}
	}
	if status := verdict.ExitStatus(baseline.Verdict(merged)); status != statusOK {
		return statusError(status)
	}
	return nil
}

// writeMerged writes the merged report, with the history and the logs of its parts. If one
// file cannot be written, the others are written all the same.
func writeMerged(cmd *cobra.Command, dir string, parts []merge.Part, merged *v1alpha1.ConformanceReport) error {
	if _, err := setAside(dir, dir, judgedIn(merged), "", notice(cmd)); err != nil {
		return err
	}
	if err := report.Clear(dir); err != nil {
		return err
	}
	return errors.Join(merge.History(filepath.Join(dir, report.HistoryFile), parts), merge.Logs(dir, parts, merged),
		report.Write(dir, merged), page.Write(dir, merged))
}

// notice returns what prints a line beside the output.
func notice(cmd *cobra.Command) func(string, ...any) {
	return func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
}

// holdApart holds the folder of a merged report, which must not be one of its sources.
func holdApart(reportDir string, dirs []string) (*folder.Folder, error) {
	if err := apart(reportDir, dirs); err != nil {
		return nil, err
	}
	held, err := folder.Hold(reportDir)
	if err != nil {
		return nil, fmt.Errorf("--report-dir: %w", err)
	}
	return held, nil
}

// apart makes sure that the merged report does not overwrite one of its sources.
func apart(reportDir string, dirs []string) error {
	target, err := os.Stat(reportDir)
	if err != nil {
		return nil // there is nothing yet; Hold reports other problems
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, target) {
			return fmt.Errorf("--report-dir %s is one of the folders to merge", reportDir)
		}
	}
	return nil
}
