package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/discover"
	"reconform.dev/reconform/internal/profile"
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
reconform init does, and say where it behaves differently from the profile. Questions that
are open in the profile (lines that begin with "# ?") are named; they change no exit status.

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
	tellNotes(cmd, p)
	launch, err := p.LaunchNotes()
	if err != nil {
		return err
	}
	for _, note := range launch {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", sanitize.Text(note))
	}
	if !p.HasContract() {
		fmt.Fprintf(cmd.OutOrStdout(), "%s has no contract: only it and its files were checked, and not the controller\n", p.Name)
		return tellQuestions(cmd, p)
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
	unread := tellQuestions(cmd, p)
	if err != nil {
		return ours(err)
	}
	if unread != nil {
		return unread
	}
	more := ""
	if len(doubts) > 0 {
		more = "else "
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s fits: nothing %swas seen that contradicts it\n", p.Name, more)
	return nil
}

// tellQuestions prints the questions that are open in the profile. They change no exit status.
func tellQuestions(cmd *cobra.Command, p *profile.Profile) error {
	questions, err := p.Questions()
	if err != nil {
		return fmt.Errorf("reading the questions in the profile: %w", err)
	}
	out := cmd.OutOrStdout()
	switch len(questions) {
	case 0:
		return nil
	case 1:
		fmt.Fprintln(out, "1 question is open in the profile:")
	default:
		fmt.Fprintf(out, "%d questions are open in the profile:\n", len(questions))
	}
	file := fromWorkingFolder(p.File)
	for _, q := range questions {
		fmt.Fprintf(out, "  %s:%d: %s\n", file, q.Line, sanitize.Text(gist(q.Text)))
	}
	return nil
}

// fromWorkingFolder returns a path relative to the working folder if it is below it. Any
// other path stays as it is.
func fromWorkingFolder(path string) string {
	folder, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}
