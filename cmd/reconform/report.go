package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/page"
	"reconform.dev/reconform/internal/verdict"
)

func newReportCommand() *cobra.Command {
	var (
		from    string
		compare bool
		output  outputFlags
	)
	cmd := &cobra.Command{
		Use:   "report --from DIR | --compare OLD NEW",
		Short: "Make the page of a recorded run again, or compare two runs",
		Long: `With --from, make report.html again, from the conformance-report.yaml and the
history.jsonl that a run has left in a folder. Nothing is run. Without the history, the
page has no timelines.
With -o json, stdout has the whole report as one document.

With --compare, say which requirements have another verdict in the second of two
folders: what is worse (it fails now, and passed before), what is new (it fails now, and
was not judged before), what is mended, and what is different otherwise. What else
differs between the runs is said first: versions, profile, claims, time limits.

Exit status: 0, 2 if a report cannot be read, or 3 if the page cannot be written. With
--compare also 1, if something is worse or new.`,
		Example: `  reconform report --from reports
  reconform report --compare reports-of-main reports`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := output.check(); err != nil {
				return err
			}
			switch {
			case compare && from != "":
				return errors.New("give either --from or --compare")
			case compare && len(args) == 2:
				return compareReports(cmd, args[0], args[1], output)
			case compare && len(args) > 2:
				return fmt.Errorf("unexpected argument %q: --compare takes two folders", args[2])
			case compare:
				return errors.New("--compare: name two folders with reports, the older one first")
			case len(args) > 0:
				return fmt.Errorf("unexpected argument %s: folders are named by --from, or by --compare", args[0])
			default:
				return makeAgain(cmd, from, output)
			}
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "`DIR` with the reports of a run")
	cmd.Flags().BoolVar(&compare, "compare", false, "compare the reports in two folders")
	output.addFormat(cmd)
	complete(cmd, "from", folders)
	return cmd
}

func makeAgain(cmd *cobra.Command, dir string, output outputFlags) error {
	if dir == "" {
		return errors.New("--from is missing: name the folder with the reports of a run")
	}
	again, err := page.Again(dir)
	if unwritten := (*page.UnwrittenError)(nil); errors.As(err, &unwritten) {
		return benchError{err}
	}
	if err != nil {
		return fmt.Errorf("--from: %w", namingRun(err))
	}
	if output.format == formatJSON {
		sanitize.All(again)
		return printJSON(cmd, again)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", filepath.Join(dir, report.PageFile))
	return nil
}

// namingRun adds to the error that a folder has no report which folder is due.
func namingRun(err error) error {
	if absent := (*report.AbsentError)(nil); errors.As(err, &absent) {
		if _, err := os.Stat(filepath.Join(absent.Dir, report.ExploredFile)); err == nil {
			return fmt.Errorf("%w; it has an exploration, with a page of its own, %s: name the folder that a run wrote into", absent, report.ExploredPageFile)
		}
		return fmt.Errorf("%w; name the folder that a run wrote into: reports, or its --report-dir", err)
	}
	return err
}

func compareReports(cmd *cobra.Command, oldDir, newDir string, output outputFlags) error {
	old, err := report.Read(oldDir)
	if err != nil {
		return fmt.Errorf("--compare: %w", namingRun(err))
	}
	current, err := report.Read(newDir)
	if err != nil {
		return fmt.Errorf("--compare: %w", namingRun(err))
	}
	found := report.Differences(old, current)
	sanitize.All(found)
	if output.format == formatJSON {
		if err := printJSON(cmd, found); err != nil {
			return err
		}
	} else {
		printDifferences(cmd, found)
	}
	if found.Worse+found.New > 0 {
		return statusError(verdict.ExitStatus(v1alpha1.NotConformant))
	}
	return nil
}

func printDifferences(cmd *cobra.Command, found *report.Comparison) {
	out := cmd.OutOrStdout()
	for _, line := range found.Lines() {
		printWrapped(out, "%s", line)
	}
	fmt.Fprintf(out, "%d worse, %d new, %d mended, %d different otherwise\n", found.Worse, found.New, found.Mended, found.Other)
}
