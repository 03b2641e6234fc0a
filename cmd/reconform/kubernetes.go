package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/release"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// kubernetesFlag adds --kubernetes, the version of the control plane.
func kubernetesFlag(cmd *cobra.Command, version *string) {
	addVersion(cmd, (*kubernetesVersion)(version), "")
}

func addVersion(cmd *cobra.Command, value pflag.Value, more string) {
	cmd.Flags().Var(value, "kubernetes", "`VERSION` of Kubernetes, as in 1.35 (default "+envtest.Version+")"+more)
	complete(cmd, "kubernetes", cobra.FixedCompletions(envtest.Versions(), cobra.ShellCompDirectiveNoFileComp))
}

// kubernetesVersion is the value of a flag: a version of envtest, or empty if the flag is
// not given.
type kubernetesVersion string

func (v *kubernetesVersion) String() string { return string(*v) }

// Type is empty because the help names the value already.
func (v *kubernetesVersion) Type() string { return "" }

// Set takes what the user wrote.
func (v *kubernetesVersion) Set(text string) error {
	switch {
	case text == "":
		return emptyError{}
	case *v != "":
		return twiceError{v.String()}
	case strings.Contains(text, ","):
		return errors.New("give one version; only run takes several")
	}
	version, err := envtest.ParseVersion(text)
	*v = kubernetesVersion(version)
	return err
}

// kubernetesVersions is the value of a flag that takes several versions: 1.34,1.37.
type kubernetesVersions []string

func (v *kubernetesVersions) String() string { return strings.Join(*v, ",") }

// Type is empty because the help names the value already.
func (v *kubernetesVersions) Type() string { return "" }

// Set takes what the user wrote.
func (v *kubernetesVersions) Set(text string) error {
	if text == "" {
		return emptyError{}
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return fmt.Errorf("%q: a version is missing before or after a comma", text)
		}
		version, err := envtest.ParseVersion(name)
		if err != nil {
			return err
		}
		if slices.Contains(*v, version) {
			return fmt.Errorf("%s is given twice", version)
		}
		*v = append(*v, version)
	}
	return nil
}

// runOnEach judges the implementation on each version, one after the other, with a folder
// for the reports of each. At the end it prints what differs between them.
func (f *runFlags) runOnEach(cmd *cobra.Command) error {
	switch {
	case f.rerunFailed:
		return errors.New("--rerun-failed: give one --kubernetes, and --report-dir with its reports, DIR/VERSION")
	case f.keep:
		return errors.New("--keep: give one --kubernetes, because the first run would be kept up until Ctrl+C, which ends all")
	case f.output.format == formatJSON:
		return errors.New("--output json: there is a report for each version; give one --kubernetes, or read DIR/VERSION/conformance-report.yaml")
	}
	versions := f.kubernetes
	// Otherwise a missing version would show only after the ones before it were judged.
	if err := checkAssets(cmd, versions); err != nil {
		return err
	}
	dir := f.reportDir
	// A command to repeat a run must name its folder, which is not the one that was given.
	if flag := cmd.Flags().Lookup("report-dir"); !flag.Changed {
		if err := cmd.Flags().Set(flag.Name, dir); err != nil {
			return fmt.Errorf("--%s: %w", flag.Name, err)
		}
	}
	turn := f.perVersion()
	reports, failed := judgeEach(cmd.Context(), versions, func(version string) (*v1alpha1.ConformanceReport, error) {
		f.output.console(cmd).Printf("\nKubernetes %s", version)
		turn(version)
		return f.execute(cmd)
	})
	if err := tellEach(cmd.OutOrStdout(), dir, versions, reports, failed); err != nil {
		return benchError{err}
	}
	switch {
	case failed != nil:
		return failed
	case cmd.Context().Err() != nil:
		return statusError(statusInconclusive)
	}
	return worst(reports)
}

// perVersion returns a function that sets the flags for a run on one version. Each version has
// folders of its own.
func (f *runFlags) perVersion() (turn func(version string)) {
	reports, profiles := f.reportDir, f.cpuProfileDir
	return func(version string) {
		f.kubernetes, f.reportDir = kubernetesVersions{version}, filepath.Join(reports, version)
		if profiles != "" {
			f.cpuProfileDir = filepath.Join(profiles, version)
		}
	}
}

// judgeEach judges the versions in their order, until ctx ends or a run cannot be carried
// out, and returns the reports by then.
func judgeEach(
	ctx context.Context, versions []string, judge func(version string) (*v1alpha1.ConformanceReport, error),
) (reports []*v1alpha1.ConformanceReport, failed error) {
	for _, version := range versions {
		if ctx.Err() != nil {
			break
		}
		result, err := judge(version)
		if result == nil {
			return reports, err
		}
		reports = append(reports, result)
	}
	return reports, nil
}

// tellEach prints what was judged on each version, and which versions were not. It prints
// nothing if the first run could not be carried out.
func tellEach(out io.Writer, dir string, versions []string, reports []*v1alpha1.ConformanceReport, failed error) error {
	left := versions[len(reports):]
	if failed != nil && len(reports) == 0 {
		return nil
	}
	if err := printByVersion(out, reports); err != nil {
		return err
	}
	why := "as the run was interrupted"
	if failed != nil {
		fmt.Fprintf(out, "no verdict: %s\n", left[0])
		why, left = "as that failed", left[1:]
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "not begun, %s: %s\n", why, strings.Join(left, ", "))
	}
	fmt.Fprintf(out, "the reports: %s\n", filepath.Join(dir, "VERSION"))
	return nil
}

// checkAssets returns an error that names the versions without binaries on this machine. An
// archive that RECONFORM_ASSETS names may have them.
func checkAssets(cmd *cobra.Command, versions []string) error {
	if release.FromEnvironment(nil) != nil {
		return nil
	}
	var missing error
	for _, version := range versions {
		_, err := findAssets(cmd, version)
		missing = errors.Join(missing, err)
	}
	return missing
}

// printByVersion prints a table with one column for each version: the verdict, the numbers,
// and each requirement that did not pass everywhere.
func printByVersion(out io.Writer, reports []*v1alpha1.ConformanceReport) error {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(name string, cell func(n int) any) {
		fmt.Fprint(table, name)
		for n := range reports {
			fmt.Fprintf(table, "\t%v", cell(n))
		}
		fmt.Fprintln(table)
	}
	line("Kubernetes", func(n int) any { return reports[n].Versions.Kubernetes })
	line("verdict", func(n int) any { return baseline.Verdict(reports[n]) })
	line("passed", func(n int) any { return reports[n].Summary.Passed })
	line("failed", func(n int) any { return reports[n].Summary.Failed })
	cut := make([]int, len(reports))
	for n, r := range reports {
		if r.CutShort != nil {
			cut[n] = len(r.CutShort.NotJudged)
		}
	}
	if slices.ContainsFunc(cut, func(n int) bool { return n > 0 }) {
		line(string(report.NotReached), func(n int) any { return cut[n] })
	}
	for _, row := range report.BesideEachOther(reports) {
		line(row.ID, func(n int) any { return cmp.Or(row.Verdicts[n], "not there") })
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("printing the table: %w", err)
	}
	return nil
}

// worst returns the exit status for several reports: that of a failure before that of an
// inconclusive one.
func worst(reports []*v1alpha1.ConformanceReport) error {
	status := statusOK
	for _, r := range reports {
		switch found := verdict.ExitStatus(baseline.Verdict(r)); {
		case found == verdict.ExitStatus(v1alpha1.NotConformant):
			return statusError(found)
		case found != statusOK:
			status = found
		}
	}
	if status != statusOK {
		return statusError(status)
	}
	return nil
}
