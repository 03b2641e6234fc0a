package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/lab/standing"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/labs"
)

type labCheckFlags struct {
	dir          string
	timeoutScale float64
	thorough     bool
}

// quickScale makes the time limits of a first look short.
const quickScale = 0.08

func (f *labCheckFlags) add(cmd *cobra.Command) {
	labDirFlag(cmd, &f.dir)
	cmd.Flags().Float64Var(&f.timeoutScale, "timeout-scale", 1, "multiply every time limit by `X`, more on a slow machine")
	cmd.Flags().BoolVar(&f.thorough, "thorough", false, "also check what takes longer, and wait longer before something is reported as missing")
}

func newLabCheckCommand() *cobra.Command {
	var flags labCheckFlags
	cmd := &cobra.Command{
		Use:   "check [NN]",
		Short: "Build and judge what you have, and say what comes next",
		Long: `Build what is in your folder, if it is a Go module, and judge it by what the lab asks
for. NN may be another lab than the one that the folder was started for: an earlier one,
or hands-on.

Exit status: 0 all is reached, 1 something is not, 2 wrong usage, 3 it could not be
judged.`,
		Args: atMostOne("a lab"),
		RunE: func(cmd *cobra.Command, args []string) error {
			work, l, err := flags.workToCheck(args)
			if err != nil {
				return err
			}
			return flags.check(cmd, work, l)
		},
	}
	flags.add(cmd)
	return cmd
}

// check checks the work of a student, and prints the findings.
func (f *labCheckFlags) check(cmd *cobra.Command, work *student.Folder, l *lab.Lab) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	screen := report.NewLiveConsole(cmd.ErrOrStderr())
	screen.Phase("building your controller")
	err := check.Build(ctx, work.Dir)
	screen.Close()
	if broken, ok := errors.AsType[*check.NotBuilt](err); ok {
		fmt.Fprintln(out, sanitize.Text(broken.Error()))
		return statusError(1)
	}
	if err != nil {
		return benchError{err}
	}
	file := filepath.Join(work.Dir, "profile.yaml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: reconform lab reset --dir %s makes it again, and puts aside what you have written", file, sanitize.Word(work.Dir))
	}
	p, err := loadToStart(file)
	if err != nil {
		return err
	}
	whole := l
	if !f.thorough {
		l = l.Quick()
	}
	began := time.Now()
	findings, err := f.judge(ctx, cmd.ErrOrStderr(), p, l)
	if err != nil {
		return benchError{err}
	}
	reached, status := tell(out, l, work.Language, findings)
	fmt.Fprintf(out, "\n%s: %d of %d reached, checked in %s\n", l.Title, len(reached), len(findings), report.Round(time.Since(began)))
	if !f.thorough && slices.ContainsFunc(findings, mayBeWaiting) {
		fmt.Fprintln(out, "Does your controller pause for long between two attempts? Then look for longer: reconform lab check --thorough")
	}
	if !f.thorough && status == statusOK {
		if err := tellNotLookedAt(out, whole.Slow()); err != nil {
			return benchError{err}
		}
	}
	if status == statusOK && l.Folder == work.Lab {
		if err := tellNext(out, l, work); err != nil {
			return benchError{err}
		}
	}
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

// mayBeWaiting says whether a finding may have a harmless reason: if a controller makes long
// pauses between two attempts, it looks idle within the short limits of a quick look.
func mayBeWaiting(f check.Finding) bool {
	return f.Doubtful() && f.Result != nil && f.Result.Area == "retries"
}

// tellNotLookedAt names the checks that a quick look leaves out, and the command that does
// them.
func tellNotLookedAt(out io.Writer, left []lab.Check) error {
	if len(left) == 0 {
		return nil
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Not looked at, as it takes longer:")
	for _, c := range left {
		must := play.Must(c.ID)
		if must == "" {
			r, err := catalogue.Find(requirements, c.ID)
			if err != nil {
				return err
			}
			must = r.Must
		}
		fmt.Fprintf(out, "  %s: %s\n", c.ID, paragraph.Indent(must))
	}
	fmt.Fprintln(out, "Look at that, too: reconform lab check --thorough")
	return nil
}

// tellNext says how to continue after a lab.
func tellNext(out io.Writer, l *lab.Lab, work *student.Folder) error {
	all, err := lab.Read(labs.FS)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(other *lab.Lab) bool { return other.Kind != l.Kind })
	n := slices.IndexFunc(all, func(other *lab.Lab) bool { return other.Folder == l.Folder }) + 1
	last := n >= len(all)
	if l.Kind == lab.Debug {
		fmt.Fprintf(out, "What the mistake was: reconform lab solution %s --print --diff\n", l.Number())
	}
	switch {
	case l.Kind == lab.Build && last:
		fmt.Fprintln(out, "That was the last part. The nine criteria of the whole controller: reconform lab check hands-on")
		fmt.Fprintln(out, "Then there are mistakes to find, experiments to predict, and more to write: reconform lab list")
		return nil
	case (l.Kind == lab.Debug || l.Kind == lab.Predict) && !last:
		fmt.Fprintf(out, "The next one: reconform lab start %s --dir %s\n", all[n].Number(), sanitize.Word(filepath.Join(work.Dir, "..", all[n].WorkFolder())))
		return nil
	case l.Kind != lab.Build:
		fmt.Fprintln(out, "The other labs, and how far you are with each: reconform lab list --dir", sanitize.Word(filepath.Join(work.Dir, "..")))
		return nil
	}
	next := all[n]
	in := ""
	if work.Language != "" {
		in = " --language " + work.Language
	}
	if _, err := startIn(next, cmp.Or(work.Language, steps.Go().Name)); err != nil {
		fmt.Fprintf(out, "Go on here, with what is asked for by the next lab: reconform lab check %s\n", next.Number())
		return nil
	}
	fmt.Fprintf(out, "The next lab: reconform lab start %s --dir %s%s\n", next.Number(), sanitize.Word(filepath.Join(work.Dir, "..", next.Folder)), in)
	return nil
}

// judge judges on the control plane that stays up.
func (f *labCheckFlags) judge(ctx context.Context, progress io.Writer, p *profile.Profile, l *lab.Lab) (_ []check.Finding, err error) {
	screen := report.NewLiveConsole(progress)
	defer screen.Close()
	screen.Phase("starting a control plane, or taking the one that is up")
	loan, err := standing.Borrow(ctx, standing.NewDoor(), "lab", "keep")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, loan.Return()) }()
	dir, err := folder.Temporary("lab-")
	if err != nil {
		return nil, err
	}
	defer func() { err = dir.Finish(err) }()
	options := check.Options{Standing: &loan.Standing, Dir: dir.Path(), TimeoutScale: f.timeoutScale, Console: screen}
	if !f.thorough {
		options.Quick = quickScale
	}
	findings, err := check.Judge(ctx, options, check.Submission{Profile: p, Labs: []*lab.Lab{l}})
	if err != nil {
		return nil, err
	}
	return findings[0], nil
}

// tell prints what is reached and what is not, and the next step, in the words of the
// student's language; an empty one means Go. It returns the IDs of what is reached, and the
// exit status.
func tell(out io.Writer, l *lab.Lab, language string, findings []check.Finding) (reached []string, status int) {
	paint := report.NewPainter(out)
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
		case f.Needs != "":
			fmt.Fprintf(out, "%s    %s (%s): needs %s\n", paint.Unsure("later"), title, f.ID, f.Needs)
			status = cmp.Or(status, statusInconclusive)
			continue
		case f.Verdict == v1alpha1.ResultInconclusive || f.Verdict == v1alpha1.Blocked:
			fmt.Fprintf(out, "%s   %s (%s)\n", paint.Unsure("unsure"), title, f.ID)
			status = cmp.Or(status, statusInconclusive) // status 1, for a goal that is certainly missed, has priority
		default:
			fmt.Fprintf(out, "%s      %s (%s)\n", paint.Bad("not"), title, f.ID)
			status = 1
		}
	}
	next := toldFirst(findings)
	if next == nil {
		return reached, status
	}
	fmt.Fprintf(out, "\nWhat was found by %s:\n  %s\n", next.ID, paragraph.Indent(sanitize.Text(found(next))))
	switch step := next.Step(next.Found(), language); {
	case endedAtOnce(next):
		fmt.Fprintf(out, "\nNext: Your controller ended before anything was asked of it: read its last words. It must run until it is told to end.\n")
	case neverReady(next):
		fmt.Fprintf(out, "\nNext: Your controller runs, and has not begun to list and watch WebApps, so nothing could be tried. Does your code reach that point?\n")
	case step != "" && !untried(next):
		fmt.Fprintf(out, "\nNext: %s\n", step)
	}
	if len(l.HintsFor(language)) > 0 {
		fmt.Fprintln(out, "More help: reconform lab hint")
	}
	return reached, status
}

// workToCheck is like workOn, and refuses a lab in which a student writes only predictions. It
// checks the flags, too.
func (f *labCheckFlags) workToCheck(args []string) (*student.Folder, *lab.Lab, error) {
	if err := runner.CheckTimeoutScale(f.timeoutScale); err != nil {
		return nil, nil, err
	}
	work, l, err := workOn(f.dir, args)
	if err == nil {
		err = refusePrediction(l)
	}
	return work, l, err
}

// refusePrediction returns an error if in this lab a student builds nothing, and writes predictions.
func refusePrediction(l *lab.Lab) error {
	if l.Kind != lab.Predict {
		return nil
	}
	return fmt.Errorf("%s is to be predicted: write into %s what you expect, and then reconform lab run %s", l.Folder, student.AnswerFile, l.Folder)
}
