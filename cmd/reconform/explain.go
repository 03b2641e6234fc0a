package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "explain ID…",
		Short:             "Say what a requirement is, why, and how it is judged",
		Example:           "  reconform explain SH-001",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: requirementIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			requirements, err := catalogue.Embedded()
			if err != nil {
				return err
			}
			for _, id := range ids {
				r, err := catalogue.Find(requirements, id)
				if err != nil {
					return err
				}
				if err := explain(cmd.OutOrStdout(), r); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// explain writes the text of a requirement, and then its scenario.
func explain(out io.Writer, r catalogue.Requirement) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, %s\n", r.ID, r.Area, r.Level)
	for _, part := range []struct{ title, text string }{
		{"MUST", r.Must},
		{"it exists to catch", r.Catches},
		{"hint", r.Hint},
		{"applies where the profile claims", r.Claim()},
		{"does not apply with", r.Exception()},
		{"relies on", strings.Join(r.ReliesOn, ", ")},
		{"is judged by what must never happen", strings.Join(r.Judges, ", ")},
		{"breaks on purpose", strings.Join(r.Provokes, ", ")},
		{"run it", "reconform run --run '^" + r.ID + "$'"},
		{"scenario", r.Path},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "  %s:\n    %s\n", part.title, part.text)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.Raw)
	_, err := io.WriteString(out, b.String())
	return err
}
