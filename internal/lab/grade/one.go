package grade

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/lab/submission"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
)

// Options of grading one submission.
type Options struct {
	// Work is an empty folder for the copy and for everything else that is written.
	Work string
	// Labs is the folder of all labs.
	Labs fs.FS
	// Hidden are folders that the submission must not see: those of the other submissions.
	Hidden   []string
	Launcher *sandbox.Launcher
	// Lab by which it is graded. If it is nil, it is the lab that Find finds in the copy.
	Lab  *lab.Lab
	Find func(dir string) (*lab.Lab, error)
	// Thorough also runs the checks that take longer.
	Thorough     bool
	TimeoutScale float64
	// Tell writes what a check tells a student.
	Tell func(io.Writer, *lab.Lab, []check.Finding)
}

// One grades the submission in a folder. An error is our own failure.
func One(ctx context.Context, dir string, o Options) (*Result, error) {
	result := &Result{Outcome: Judged}
	began := time.Now()
	err := o.grade(ctx, dir, result)
	result.Seconds = time.Since(began).Round(100 * time.Millisecond).Seconds()
	var no *submission.Refused
	var not *notBuilt
	switch {
	case errors.As(err, &no):
		result.Outcome, result.Why = Refused, no.Why
	case errors.As(err, &not):
		result.Outcome, result.Why = NotBuilt, not.why
	case err != nil:
		return nil, err
	}
	sanitize.All(result)
	return result, nil
}

func (o *Options) grade(ctx context.Context, dir string, result *Result) error {
	work := filepath.Join(o.Work, "submission")
	if err := submission.Copy(dir, work, submission.Usual()); err != nil {
		return err
	}
	l := o.Lab
	if l == nil {
		found, err := o.Find(work)
		if err != nil {
			return &submission.Refused{Why: fmt.Sprintf("which lab is it? %v", err)}
		}
		l = found
	}
	if l.Kind == lab.Predict {
		return &submission.Refused{Why: l.Folder + " is a prediction, which has no controller: reconform lab run"}
	}
	if !o.Thorough {
		l = l.Quick()
	}
	result.Lab, result.Of = l.Folder, len(l.Checks)
	if err := o.build(ctx, work); err != nil {
		return err
	}
	p, err := submission.Profile(work)
	if err != nil {
		return err
	}
	if result.Promises, err = o.promises(p, l); err != nil {
		return err
	}
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	judged, err := check.Judge(ctx, check.Options{
		Dir: o.Work, TimeoutScale: o.TimeoutScale, Console: screen, Hidden: o.Hidden, Launcher: o.Launcher,
	}, check.Submission{Profile: p, Labs: []*lab.Lab{l}})
	if err != nil {
		return err
	}
	for _, f := range judged[0] {
		result.Checks = append(result.Checks, Check{f.ID, f.Must, string(f.Verdict), f.Reached()})
		if f.Reached() {
			result.Reached++
		}
	}
	var told strings.Builder
	o.Tell(&told, l, judged[0])
	result.Report = told.String()
	return nil
}

// promises says whether the profile promises something else than the lab's own profile, of
// which students get a copy. That matters because the suite asks only for what a profile
// claims.
func (o *Options) promises(p *profile.Profile, l *lab.Lab) (string, error) {
	if !l.Given() {
		return "", nil
	}
	files, err := student.Files(o.Labs, l.Folder, "solution")
	if err != nil {
		return "", err
	}
	own, err := profile.Parse(submission.ProfileFile, []byte(files[submission.ProfileFile]))
	if err != nil {
		return "", fmt.Errorf("reading the profile of lab %s: %w", l.Folder, err)
	}
	if submission.Promises(p, own) {
		return "", nil
	}
	return "its profile has another contract, or other claims, than the lab's", nil
}
