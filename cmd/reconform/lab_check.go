package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/harmless"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/standing"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

type labCheckFlags struct {
	dir          string
	timeoutScale float64
	thorough     bool
}

// labScale makes the limits of a check short: who learns should not wait as long for what
// does not come as somebody who is judged for good.
const labScale = 0.2

func (f *labCheckFlags) add(cmd *cobra.Command) {
	labDirFlag(cmd, &f.dir)
	cmd.Flags().Float64Var(&f.timeoutScale, "timeout-scale", labScale, "multiply every time limit by `X`, more on a slow machine")
	cmd.Flags().BoolVar(&f.thorough, "thorough", false, "also look at what takes longer")
}

func newLabCheckCommand() *cobra.Command {
	var flags labCheckFlags
	cmd := &cobra.Command{
		Use:   "check [NN]",
		Short: "Build and judge what you have, and say what comes next",
		Long: `Build what is in your folder, if it is a Go module, and judge it by what the lab asks
for. Another lab than that of the folder can be named: an earlier one, or hands-on.

Exit status: 0 all is reached, 1 something is not, 2 wrong usage, 3 it could not be
judged.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := labArgument(args)
			if err != nil {
				return err
			}
			work, l, err := workOn(flags.dir, named)
			if err != nil {
				return err
			}
			if err := notToBeBuilt(l); err != nil {
				return err
			}
			return flags.check(cmd, work, l)
		},
	}
	flags.add(cmd)
	return cmd
}

// check the work of a student, and say what is found.
func (f *labCheckFlags) check(cmd *cobra.Command, work *student.Folder, l *lab.Lab) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	err := check.Build(ctx, work.Dir)
	var not *check.NotBuilt
	if errors.As(err, &not) {
		fmt.Fprintln(out, harmless.Text(not.Error()))
		return statusError(1)
	}
	if err != nil {
		return benchError{err}
	}
	p, err := loadProfile(filepath.Join(work.Dir, "profile.yaml"), true)
	if err != nil {
		return err
	}
	if !f.thorough {
		l = l.Quick()
	}
	began := time.Now()
	findings, err := f.judge(ctx, p, l)
	if err != nil {
		return benchError{err}
	}
	reached, status := tell(out, l, findings)
	fmt.Fprintf(out, "\n%s: %d of %d reached, checked in %s\n", l.Title, len(reached), len(findings), report.Round(time.Since(began)))
	if l.Folder == work.Lab {
		if err := work.Checked(reached, len(reached) == len(findings)); err != nil {
			return benchError{err}
		}
	}
	if status != statusOK {
		return statusError(status)
	}
	return nil
}

// judge on the control plane that stays up.
func (f *labCheckFlags) judge(ctx context.Context, p *profile.Profile, l *lab.Lab) (_ []check.Finding, err error) {
	loan, err := standing.Borrow(ctx, standing.NewDoor(), "lab", "keep")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, loan.Return()) }()
	dir, err := folder.Temporary("lab-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	options := check.Options{Standing: &loan.Standing, Dir: dir.Path(), TimeoutScale: f.timeoutScale, Console: screen}
	findings, err := check.Judge(ctx, options, check.Submission{Profile: p, Labs: []*lab.Lab{l}})
	if err != nil {
		return nil, err
	}
	return findings[0], nil
}

// tell what is reached and what is not, and the next step. It returns the IDs of what is
// reached, and the exit status.
func tell(out io.Writer, l *lab.Lab, findings []check.Finding) (reached []string, status int) {
	paint := report.NewPainter(out)
	var next *check.Finding
	for n := range findings {
		f := &findings[n]
		title := f.Must
		if f.Criterion != "" {
			title = f.Criterion
		}
		switch {
		case f.Reached():
			reached = append(reached, f.ID)
			fmt.Fprintf(out, "%s  %s (%s)\n", paint.Good("reached"), title, f.ID)
			continue
		case f.Verdict == v1alpha1.ResultInconclusive || f.Verdict == v1alpha1.Blocked:
			fmt.Fprintf(out, "%s   %s (%s)\n", paint.Unsure("unsure"), title, f.ID)
			status = max(status, statusInconclusive)
		default:
			fmt.Fprintf(out, "%s      %s (%s)\n", paint.Bad("not"), title, f.ID)
			status = 1
		}
		if next == nil {
			next = f
		}
	}
	if next == nil {
		return reached, statusOK
	}
	fmt.Fprintf(out, "\nWhat was found by %s:\n  %s\n", next.ID, indentLines(harmless.Text(found(next))))
	fmt.Fprintf(out, "\nNext: %s\n", next.Next)
	if len(l.Hints) > 0 {
		fmt.Fprintln(out, "More help: reconform lab hint")
	}
	return reached, status
}

// found is why something is not reached: what was seen, and not what its scenario says to
// authors of controllers.
func found(f *check.Finding) string {
	text := f.Reason
	if f.Result == nil || f.Result.Evidence == nil {
		return text
	}
	e := f.Result.Evidence
	for _, part := range []string{e.Difference, strings.Join(e.Requests, "\n")} {
		if part != "" {
			text += "\n" + part
		}
	}
	if len(e.Log) > 0 {
		const few = 8
		text += "\nthe last lines of your controller:\n  " + strings.Join(e.Log[max(0, len(e.Log)-few):], "\n  ")
	}
	return text
}

func indentLines(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
