package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/render"
)

type renderFlags struct {
	profile   string
	scenarios scenariosFlag
	out       string
}

func newRenderCommand() *cobra.Command {
	var flags renderFlags
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write the scenarios as plain Chainsaw tests for one implementation",
		Long: `Translate the scenarios for the controller of a profile, and write each as a plain Chainsaw
test in a folder of its own. The README.md beside them says how to run them on the bench of
reconform up. At the end, the command says which scenarios cannot be translated, and why.

Exit status: 0, or 2 for wrong usage.`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.execute(cmd) },
	}
	profileFlag(cmd, &flags.profile)
	cmd.Flags().StringVar(&flags.out, "out", "", "folder `DIR` to write to; what an earlier render wrote there is replaced")
	complete(cmd, "out", folders)
	flags.scenarios.add(cmd)
	return cmd
}

func (f *renderFlags) execute(cmd *cobra.Command) error {
	if f.out == "" {
		return errors.New("--out is missing: name the folder to write to")
	}
	p, err := profile.Resolve(f.profile)
	if err != nil {
		return err
	}
	requirements, err := f.scenarios.read()
	if err != nil {
		return err
	}
	plan, err := runner.NewPlanOfPart(p, requirements, requirements, requirements)
	if err != nil {
		return err
	}
	made := renderedTests{profile: p, argument: f.profile}
	for _, planned := range plan.Scenarios {
		if len(planned.Unclaimed) > 0 {
			made.skip(planned.Requirement.ID, fmt.Sprintf("feature %s is not claimed", planned.Unclaimed[0]))
			continue
		}
		made.tests = append(made.tests, planned)
	}
	for _, skipped := range plan.Skipped {
		made.skip(skipped.ID, skipped.Reason)
	}
	if err := render.WriteDir(f.out, made.stock(), map[string][]byte{"README.md": made.readme(), settingsFile: made.settings()}); err != nil {
		return err
	}
	for _, skipped := range made.skipped {
		fmt.Fprintf(cmd.ErrOrStderr(), "skipped %s\n", skipped)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %d tests to %s, skipped %d\n%s says how they are run\n",
		len(made.tests), f.out, len(requirements)-len(made.tests), filepath.Join(f.out, "README.md"))
	return nil
}
