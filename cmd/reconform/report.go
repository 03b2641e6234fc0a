package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/page"
	"reconform.dev/reconform/internal/report"
)

func newReportCommand() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "report --from DIR",
		Short: "Make the page of a recorded run again",
		Long: `Make report.html again, from the conformance-report.yaml and the history.jsonl that a
run has left in a folder. Nothing is run. Without the history, the page has no timelines.`,
		Example: "  reconform report --from reports",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return makeAgain(cmd, from) },
	}
	cmd.Flags().StringVar(&from, "from", "", "`DIR` with the reports of a run")
	complete(cmd, "from", folders)
	return cmd
}

func makeAgain(cmd *cobra.Command, dir string) error {
	if dir == "" {
		return errors.New("--from is missing: name the folder with the reports of a run")
	}
	if err := page.Again(dir); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", filepath.Join(dir, report.PageFile))
	return nil
}
