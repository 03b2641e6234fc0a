package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
)

type renderFlags struct {
	profile string
	out     string
}

func newRenderCommand() *cobra.Command {
	var flags renderFlags
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write the scenarios as plain Chainsaw tests for one implementation",
		Args:  none,
		RunE:  func(cmd *cobra.Command, _ []string) error { return flags.execute(cmd) },
	}
	profileFlag(cmd, &flags.profile)
	cmd.Flags().StringVar(&flags.out, "out", "", "`DIR` to write to; replaced where it was written by render before")
	complete(cmd, "out", folders)
	return cmd
}

func (f *renderFlags) execute(cmd *cobra.Command) error {
	if f.out == "" {
		return errors.New("--out is missing: name the folder to write to")
	}
	p, err := loadProfile(f.profile, false)
	if err != nil {
		return err
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		return err
	}
	plan, err := runner.NewPlan(p, requirements)
	if err != nil {
		return err
	}
	tests := make([]*render.Rendered, 0, len(plan.Scenarios))
	for _, planned := range plan.Scenarios {
		if len(planned.Unclaimed) > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "skipped %s: feature %s is not claimed\n", planned.Requirement.ID, planned.Unclaimed[0])
			continue
		}
		tests = append(tests, planned.Test)
	}
	if err := render.WriteDir(f.out, tests); err != nil {
		return err
	}
	for _, skipped := range plan.Skipped {
		fmt.Fprintf(cmd.ErrOrStderr(), "skipped %s: %s\n", skipped.ID, skipped.Reason)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %d tests to %s, skipped %d\n", len(tests), f.out, len(requirements)-len(tests))
	return nil
}
