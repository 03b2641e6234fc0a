package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/predict"
	"reconform.dev/reconform/internal/lab/standing"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/labs"
)

func newLabRunCommand() *cobra.Command {
	var dir string
	var timeoutScale float64
	cmd := &cobra.Command{
		Use:   "run [NAME]",
		Short: "Do the experiment of a lab, and compare it with your prediction",
		Long: `Read the predictions in answer.yaml, do the experiment, show what happened, and put what
you have predicted beside what was measured.

Exit status: 0 all predictions are right, 1 some are not, 2 wrong usage, or answer.yaml
is not as it must be, 3 it could not be measured.`,
		Example: "  reconform lab start predict/hundred-patches\n  reconform lab run predict/hundred-patches",
		Args:    atMostOne("a lab"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := runner.CheckTimeoutScale(timeoutScale); err != nil {
				return err
			}
			work, l, err := workOn(dir, args)
			if err != nil {
				return err
			}
			if l.Kind != lab.Predict {
				return fmt.Errorf("%s has no experiment: reconform lab check judges what you have written", l.Folder)
			}
			if l.Folder != work.Lab {
				return fmt.Errorf("%s is the folder of %s, which has other questions: give the one of %s by --dir, or make it: reconform lab start %[3]s",
					work.Dir, work.Lab, l.Folder)
			}
			return runExperiment(cmd, work, l, timeoutScale)
		},
	}
	labDirFlag(cmd, &dir)
	cmd.Flags().Float64Var(&timeoutScale, "timeout-scale", 1, "multiply every time limit by `X`, more on a slow machine")
	return cmd
}

// runExperiment reads the predictions first, so that a wrong form is reported before
// anything starts.
func runExperiment(cmd *cobra.Command, work *student.Folder, l *lab.Lab, timeoutScale float64) error {
	out := cmd.OutOrStdout()
	file := filepath.Join(work.Dir, student.AnswerFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: reconform lab reset --dir %s makes it again", file, sanitize.Word(work.Dir))
	}
	if err != nil {
		return fmt.Errorf("reading your predictions: %w", err)
	}
	predicted, err := predict.Answers(file, data, l)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "doing the experiment …")
	record, err := experiment(cmd.Context(), l, timeoutScale)
	if err != nil {
		return benchError{err}
	}
	measured, err := predict.Measure(l, record)
	if err != nil {
		return benchError{err}
	}
	for _, line := range predict.Timeline(record) {
		fmt.Fprintln(out, sanitize.Text(line))
	}
	comparisons := predict.Compare(l, predicted, measured)
	reached := tellComparisons(out, comparisons)
	fmt.Fprintf(out, "\n%s: %d of %d predicted right\n", l.Title, len(reached), len(comparisons))
	if err := work.Checked(reached, len(reached) == len(comparisons)); err != nil {
		return benchError{err}
	}
	if err := tellNext(out, l, work); err != nil { // A wrong prediction is as good a reason to go on.
		return benchError{err}
	}
	if len(reached) < len(comparisons) {
		return statusError(1)
	}
	return nil
}

// experiment carries the experiment out on the control plane that stays up.
func experiment(ctx context.Context, l *lab.Lab, timeoutScale float64) (_ *predict.Trace, err error) {
	dir, err := folder.Temporary("lab-")
	if err != nil {
		return nil, err
	}
	defer func() { err = dir.Finish(err) }()
	controller, reports := filepath.Join(dir.Path(), "controller"), filepath.Join(dir.Path(), "reports")
	for _, sub := range []string{controller, reports} {
		if err := os.Mkdir(sub, 0o755); err != nil {
			return nil, fmt.Errorf("making a folder: %w", err)
		}
	}
	p, err := predict.Controller(ctx, labs.FS, l, controller)
	if err != nil {
		return nil, err
	}
	loan, err := standing.Borrow(ctx, standing.NewDoor(), "lab", "keep")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, loan.Return()) }()
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	return predict.Run(ctx, labs.FS, l, p, check.Options{Standing: &loan.Standing, Dir: reports, TimeoutScale: timeoutScale, Console: screen})
}

// tellComparisons prints each prediction beside its measured answer, with an explanation.
// It returns the IDs of those that are right.
func tellComparisons(out io.Writer, comparisons []predict.Comparison) (reached []string) {
	paint := report.NewPainter(out)
	for _, c := range comparisons {
		verdict := paint.Bad("wrong")
		if c.Right {
			verdict = paint.Good("right")
			reached = append(reached, c.ID)
		}
		fmt.Fprintf(out, "\n%s\n%s  you said %s, measured %s\n%s\n", c.Ask, verdict,
			c.Predicted.Text(c.Question), c.Measured.Text(c.Question), predict.Wrap(c.Because, "      "))
	}
	return reached
}
