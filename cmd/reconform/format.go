package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/report"
)

// The formats of a command's output on stdout.
const (
	formatText = "text"
	formatJSON = "json"
)

// outputFlags say how much a command prints, and in which format.
type outputFlags struct {
	format string
	quiet  bool
}

func (f *outputFlags) add(cmd *cobra.Command) {
	f.addFormat(cmd)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print only what did not pass, and the verdict")
}

func (f *outputFlags) addFormat(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.format, "output", "o", formatText,
		"`FORMAT` of stdout: text, or json (one document); all other output goes to stderr")
	complete(cmd, "output", cobra.FixedCompletions([]string{formatText, formatJSON}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *outputFlags) check() error {
	if f.format != formatText && f.format != formatJSON {
		return fmt.Errorf("--output %s is not text or json", f.format)
	}
	return nil
}

// console shows the run on stderr, because stdout is for the result.
func (f *outputFlags) console(cmd *cobra.Command) *report.Console {
	if f.quiet {
		return report.NewQuietConsole(cmd.ErrOrStderr())
	}
	return report.NewConsole(cmd.ErrOrStderr())
}

// tellExplored prints the result of an exploration.
func (f *outputFlags) tellExplored(cmd *cobra.Command, r *v1alpha1.ExploreReport) error {
	switch {
	case f.format == formatJSON:
		return printJSON(cmd, r)
	case f.quiet:
		fmt.Fprint(cmd.OutOrStdout(), explore.Brief(r))
	default:
		fmt.Fprint(cmd.OutOrStdout(), explore.Summary(r))
	}
	return nil
}

// tell prints the result of a run. dir is the folder of the reports, or empty if they could
// not be written. rerun is the command that repeats what did not pass, if there is one.
func (f *outputFlags) tell(cmd *cobra.Command, r *v1alpha1.ConformanceReport, dir, rerun string) error {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		for _, line := range report.Annotations(r) {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
	}
	switch {
	case f.format == formatJSON:
		return printJSON(cmd, r)
	case f.quiet:
		if r.NotStarted != nil {
			fmt.Fprintf(cmd.OutOrStdout(), "nothing was judged: %s\n", r.NotStarted.Reason)
		} else {
			printAccused(cmd, r)
		}
		printConclusion(cmd, r)
	default:
		printVerdict(cmd, r, dir, rerun)
	}
	return nil
}

// printJSON prints one document, and nothing else.
func printJSON(cmd *cobra.Command, value any) error {
	data, err := report.JSON(value)
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(data)
	return err
}
