package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/discover/visit"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/strictyaml"
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
reconform init does, and say what was seen to be otherwise than the profile says.

Exit status: 0 where nothing was, 2 where something is wrong, 3 where the bench failed.`,
		Args:              one("the profile, a file or the name of a built-in one", "mine.yaml"),
		ValidArgsFunction: profileNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0]) },
	}
	kubernetesFlag(cmd, &flags.kubernetes)
	unconfinedFlag(cmd, &flags.unconfined)
	return cmd
}

func (f *validateFlags) run(cmd *cobra.Command, argument string) (err error) {
	p, err := loadProfile(argument, true)
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
	work, err := folder.Temporary("validate-")
	if err != nil {
		return benchError{err}
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	screen := report.NewConsole(cmd.ErrOrStderr())
	defer screen.Close()
	plan, err := visit.PlanFor(p, screen)
	if err != nil {
		return err
	}
	record, err := lookAt(cmd.Context(), p, plan, runner.SessionOptions{
		Profile: p, Kubernetes: f.kubernetes, Dir: work.Path(), TimeoutScale: 1, Console: screen, Unconfined: f.unconfined,
	})
	var (
		fruitless *visit.Fruitless
		atHome    *visit.AtHome
	)
	switch {
	case errors.As(err, &atHome):
		return profile.Join(p.ProblemAt("spec.install.inServedNamespace", err.Error()+": say true, or tell it what to serve ({{ .served }})"))
	case errors.As(err, &fruitless):
		return unfit(p, fruitless)
	case err != nil:
		return err
	}
	if err := compare(cmd.OutOrStdout(), p, record); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s fits: nothing was seen that contradicts it\n", p.Name)
	return nil
}

// compare compares a profile with what was seen of its controller. The error says what is
// wrong with the profile. What may be the controller's fault is only printed.
func compare(out io.Writer, p *profile.Profile, record *infer.Record) error {
	differences, err := infer.Compare(p, record)
	if err != nil {
		return err
	}
	var problems []strictyaml.Problem
	for _, d := range differences {
		problem := p.ProblemAt(d.Field, d.Text)
		if d.Judged {
			fmt.Fprintf(out, "for a scenario to judge: %s\n", sanitize.Text(problem.Error()))
			continue
		}
		problems = append(problems, problem)
	}
	return profile.Join(problems...)
}

// unfit returns the error for a controller that showed nothing.
func unfit(p *profile.Profile, why *visit.Fruitless) error {
	if why.Lease != "" {
		return profile.Join(p.ProblemAt("spec.launch.leaderElection.lease", why.Lease), p.ProblemAt("spec.launch", why.Error()))
	}
	return profile.Join(p.ProblemAt("spec.launch", why.Error()))
}
