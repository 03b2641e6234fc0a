package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// printVerdict prints the verdict at the end of the output, on stdout. rerun is the command
// that repeats what did not pass, if there is one.
func printVerdict(cmd *cobra.Command, r *v1alpha1.ConformanceReport, dir, rerun string) {
	out := cmd.OutOrStdout()
	for _, line := range report.Parts(r) {
		fmt.Fprintln(out, line)
	}
	d := r.Durations
	fmt.Fprintf(out, "\ncontrol plane %s, scenarios %s, total %s\n",
		report.Round(d.ControlPlane.Duration), report.Pace(r), report.Round(d.Total.Duration))
	for _, result := range r.Results {
		for _, advice := range result.Advice {
			fmt.Fprintf(out, "advice by %s: %s\n", result.ID, advice)
		}
	}
	fmt.Fprintf(out, "reports: %s\n", filepath.Join(dir, report.YAMLFile))
	if r.NotStarted != nil {
		fmt.Fprintf(out, "nothing was judged: %s\n", r.NotStarted.Reason)
	} else if cut := report.Cut(r); cut != "" {
		fmt.Fprintln(out, cut)
	} else {
		for _, unserved := range report.Unserved(r) {
			fmt.Fprintln(out, unserved)
		}
		for _, seen := range report.Unclaimed(r) {
			fmt.Fprintf(out, "seen, and not claimed: %s\n", seen)
		}
		if skipped := coreSkipped(r.Results); len(skipped) > 0 {
			fmt.Fprintf(out, "core requirements that could not be judged: %s\n", strings.Join(skipped, ", "))
		}
	}
	printAccused(cmd, r)
	if rerun != "" {
		fmt.Fprintf(out, "run them again: %s\n", rerun)
	}
	fmt.Fprintln(out, report.Core(r))
	printConclusion(cmd, r)
}

// printAccused prints the IDs of what did not pass, and what is known about it.
func printAccused(cmd *cobra.Command, r *v1alpha1.ConformanceReport) {
	out := cmd.OutOrStdout()
	for _, line := range report.Lists(r, report.NewPainter(out)) {
		fmt.Fprintln(out, line)
	}
	for _, line := range report.Expired(r) {
		fmt.Fprintln(out, line)
	}
	for _, line := range report.Known(r) {
		fmt.Fprintf(out, "known: %s\n", line)
	}
}

// printConclusion prints the verdict itself.
func printConclusion(cmd *cobra.Command, r *v1alpha1.ConformanceReport) {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s is %s\n", r.Implementation.Name, inWords(r))
	if baseline.Verdict(r) != r.Verdict {
		fmt.Fprintln(out, "all that failed is known, so the exit status is not that of a failure")
	}
	fmt.Fprintln(out, verdict.Headline(r.Profiles))
	fmt.Fprintln(out, report.Counts(r.Summary))
}

func inWords(r *v1alpha1.ConformanceReport) string {
	switch r.Verdict {
	case v1alpha1.Conformant:
		return "conformant"
	case v1alpha1.Partial:
		if r.Selection != (v1alpha1.Selection{}) {
			return "partial: nothing failed, and not every core requirement was selected"
		}
		return "partial: nothing failed, but not every core requirement was judged"
	case v1alpha1.NotConformant:
		return "not conformant"
	default:
		return "not judged: the test was inconclusive"
	}
}

// coreSkipped returns the IDs of the core requirements that were selected but could not be
// judged.
func coreSkipped(results []v1alpha1.Result) []string {
	var ids []string
	for _, r := range results {
		if r.Level == catalogue.Core && (r.Verdict == v1alpha1.Skipped || r.Verdict == v1alpha1.NotExercised) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
