package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/discover"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

type validateFlags struct {
	kubernetes string
	unconfined bool
}

func newValidateCommand() *cobra.Command {
	var flags validateFlags
	cmd := &cobra.Command{
		Use:   "validate PROFILE",
		Short: "Does a profile fit its CRD and its controller?",
		Long: `Check a profile against the CRD, start its controller once on the bench, do to it what
reconform init does, and say where it behaves differently from the profile.

Exit status: 0 if the profile fits, 2 if something is wrong, 3 if the bench failed.`,
		Args:              one("the profile, a file or the name of a built-in one", "mine.yaml"),
		ValidArgsFunction: profileNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0]) },
	}
	kubernetesFlag(cmd, &flags.kubernetes)
	unconfinedFlag(cmd, &flags.unconfined)
	return cmd
}

func (f *validateFlags) run(cmd *cobra.Command, argument string) error {
	p, err := loadToStart(argument)
	if err != nil {
		return err
	}
	if !p.HasContract() {
		fmt.Fprintf(cmd.OutOrStdout(), "%s has no contract: only it and its files were checked, and not the controller\n", p.Name)
		return nil
	}
	if err := p.CheckTypes(); err != nil {
		return err
	}
	screen := report.NewConsole(cmd.ErrOrStderr())
	defer screen.Close()
	doubts, err := discover.Validate(cmd.Context(), p, runner.SessionOptions{Kubernetes: f.kubernetes, Console: screen, Unconfined: f.unconfined})
	for _, doubt := range doubts {
		fmt.Fprintf(cmd.OutOrStdout(), "a mistake of the controller? A run judges it: %s\n", sanitize.Text(doubt.Error()))
	}
	if err != nil {
		return ours(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s fits: nothing was seen that contradicts it\n", p.Name)
	return nil
}
