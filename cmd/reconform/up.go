package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

type upFlags struct {
	profile       string
	kubernetes    string
	kubeconfigOut string
	unconfined    bool
}

func newUpCommand() *cobra.Command {
	var flags upFlags
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the bench and leave it up until Ctrl+C",
		Long: `Start a control plane with the bench on it, for work by hand. Create a Subject to start the
controller, and a Traffic to count its requests, or run Chainsaw tests. The page "By hand"
(docs/by-hand.md) shows how.

Exit status: 0 after Ctrl+C, 2 for wrong usage, or 3 if the bench failed.`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd) },
	}
	profileFlag(cmd, &flags.profile)
	kubernetesFlag(cmd, &flags.kubernetes)
	unconfinedFlag(cmd, &flags.unconfined)
	cmd.Flags().StringVar(&flags.kubeconfigOut, "kubeconfig-out", "reconform.kubeconfig", "write the kubeconfig to `FILE`; it is removed at the end")
	return cmd
}

func (f *upFlags) run(cmd *cobra.Command) (err error) {
	ctx := cmd.Context()
	p, err := loadToStart(f.profile)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(f.kubeconfigOut)
	if err != nil {
		return fmt.Errorf("finding %s: %w", f.kubeconfigOut, err)
	}
	if err := (kubeconfigFile{path: out}).takeOver(); err != nil {
		return fmt.Errorf("--kubeconfig-out: %w", err)
	}
	logs, err := folder.Temporary("up-")
	if err != nil {
		return benchError{err}
	}
	defer func() { err = logs.Finish(err) }()
	dir := logs.Path()

	screen := report.NewConsole(cmd.ErrOrStderr())
	defer screen.Close()
	session, err := runner.OpenSession(ctx, runner.SessionOptions{
		Profile: p, Kubernetes: f.kubernetes, Dir: dir, TimeoutScale: 1, Console: screen, Unconfined: f.unconfined,
	})
	if err != nil {
		if ctx.Err() != nil { // Ctrl+C is the normal end, even an early one
			return besidesInterruption(err)
		}
		return benchError{err}
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	kubeconfig, err := os.ReadFile(session.Kubeconfig)
	if err != nil {
		return benchError{fmt.Errorf("reading the kubeconfig: %w", err)}
	}
	file := kubeconfigFile{path: out, owner: dir}
	defer func() { err = errors.Join(err, file.remove()) }()
	if err := file.takeOver(); err != nil { // another one was started meanwhile
		return fmt.Errorf("--kubeconfig-out: %w", err)
	}
	if err := file.write(kubeconfig); err != nil {
		return benchError{err}
	}

	screen.Printf(`
The bench is up, with profile %s. In another shell:

  export KUBECONFIG=%s PATH=%s:$PATH
  kubectl create namespace try
  kubectl -n try apply -f - <<< '{"apiVersion": "reconform.dev/v1alpha1", "kind": "Subject", "metadata": {"name": "subject"}}'
  kubectl -n try get subjects,traffics,observations
%s

Logs and history.jsonl are in %s. Ctrl+C ends it all.`, p.Name, sanitize.Word(out), sanitize.Word(session.BinDir()), stockTests(f.profile), dir)
	if err := session.Wait(ctx); err != nil {
		return benchError{err}
	}
	return nil
}

// stockTests returns the commands that run the tests for the controller of a profile.
func stockTests(argument string) string {
	if argument == profile.Default {
		return "  chainsaw test scenarios/        # the stock chainsaw; make chainsaw builds it"
	}
	return "  reconform render --profile " + sanitize.Word(argument) + " --out tests\n  cd tests && chainsaw test .     # the stock chainsaw, and the tests for this controller"
}
