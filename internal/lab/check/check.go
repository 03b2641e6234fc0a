package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// Finding is the result of one check of a lab.
type Finding struct {
	lab.Check
	Must    string
	Verdict v1alpha1.ResultVerdict
	Reason  string
	Result  *v1alpha1.Result // of a requirement, with its evidence
	// Needs is set if this check could not be judged: it is the check that must be
	// reached first.
	Needs string
	// Early is true if the play's rule did not come to what it asks for: the controller
	// does not do what an earlier part asks for.
	Early bool
}

// Reached tells whether the goal of the check is reached.
func (f *Finding) Reached() bool { return f.Verdict == v1alpha1.Passed }

// Found returns all that was seen: the reason, and of the evidence the step, the difference,
// the requests and the lines of the log.
func (f *Finding) Found() string {
	parts := []string{f.Reason}
	if f.Result != nil && f.Result.Evidence != nil {
		e := f.Result.Evidence
		parts = append(parts, e.Step, e.Difference)
		parts = append(parts, e.Requests...)
		parts = append(parts, e.Log...)
	}
	return strings.Join(parts, "\n")
}

// Options of a judgement.
type Options struct {
	Standing *runner.Standing
	// Dir is the folder for the logs and the history.
	Dir string
	// TimeoutScale multiplies every time limit.
	TimeoutScale float64
	// Quick, if it is not 0, is the TimeoutScale of a first look, at most. See Judge.
	Quick float64
	// windowScale multiplies the windows in which requests are counted; 0 counts as 1.
	windowScale float64
	// hurried says that the requirements expect no long pauses.
	hurried bool
	Console *report.Console
	// Launcher starts the controllers. If it is nil, they are isolated as well as this
	// machine allows.
	Launcher *sandbox.Launcher
	// Hidden are folders that the controllers must not see.
	Hidden []string
}

// Submission is a controller that is judged by some labs.
type Submission struct {
	Profile *profile.Profile
	Labs    []*lab.Lab
}

// performing is how many plays are performed at the same time, for each core. They wait most
// of the time.
const performing = 4

// look looks at the submissions at the same time, on one control plane, with the limits of
// TimeoutScale. quiet tells whether the machine had enough time for it.
func look(ctx context.Context, options Options, submissions ...Submission) (_ [][]Finding, quiet bool, err error) {
	began := time.Now()
	run := fmt.Sprintf("lab-%08x", rand.Uint32())
	var cases []*candidate
	played := map[string]*profile.Profile{}
	var implementations []*runner.Implementation
	for n, s := range submissions {
		required := s.Profile
		if options.hurried {
			required = hurried(required)
		}
		c, err := newCandidate(s, fmt.Sprintf("%s-%d", run, n), required)
		if err != nil {
			return nil, false, err
		}
		for _, which := range c.plays {
			played[c.stage(which)] = play.Profile(which, s.Profile)
		}
		if len(c.implementation.Plan.Scenarios) > 0 {
			implementations = append(implementations, c.implementation)
		}
		cases = append(cases, c)
	}
	maps.Copy(played, runner.Namespaces(implementations))
	session, err := runner.OpenSession(ctx, runner.SessionOptions{
		Profile: submissions[0].Profile, Standing: options.Standing, Dir: options.Dir, TimeoutScale: options.TimeoutScale,
		Console: options.Console, Scenarios: played, Launcher: options.Launcher, Hidden: options.Hidden,
	})
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	opened := time.Since(began)
	var performances errgroup.Group
	performances.SetLimit(performing * runtime.GOMAXPROCS(0))
	for _, c := range cases {
		for _, which := range c.plays {
			performances.Go(func() error { return c.perform(ctx, session, which, options) })
		}
	}
	var results map[string][]v1alpha1.Result
	if len(implementations) > 0 {
		results, err = runner.Judge(ctx, session, implementations,
			runner.Options{TimeoutScale: options.TimeoutScale, WindowScale: options.windowScale, ReportDir: options.Dir, Console: options.Console})
	}
	if err := errors.Join(err, performances.Wait()); err != nil {
		return nil, false, err
	}
	for _, c := range cases {
		for _, result := range results[c.implementation.Name] {
			c.note(result.ID, Finding{Must: result.Must, Verdict: result.Verdict, Reason: result.Reason, Result: &result})
		}
	}
	var all [][]Finding
	for _, c := range cases {
		all = append(all, c.findings())
	}
	return all, isQuiet(session, began, opened, options.Standing != nil && options.Standing.Fresh), nil
}

// perform performs a play, and notes its findings.
func (c *candidate) perform(ctx context.Context, session *runner.Session, which string, options Options) error {
	began := time.Now()
	title := ""
	doing := func(id, must string) {
		if title != "" {
			options.Console.Ended(title, report.Passes)
		}
		title = id
		options.Console.Event(chainsaw.Event{Test: id, Step: must})
	}
	results, err := play.Run(ctx, session, which, c.profile, c.stage(which), c.asks, options.TimeoutScale, doing)
	var not *play.NotStarted
	if errors.As(err, &not) {
		for _, id := range play.Rules(which) {
			c.note(id, Finding{Must: play.Must(id), Verdict: v1alpha1.ResultInconclusive, Reason: not.Error()})
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("playing %s after %s: %w", which, report.Round(time.Since(began)), err)
	}
	for _, result := range results {
		verdict := v1alpha1.Failed
		switch {
		case result.Passed:
			verdict = v1alpha1.Passed
		case result.Needs != "":
			verdict = v1alpha1.Blocked
		case result.Unsure:
			verdict = v1alpha1.ResultInconclusive
		}
		c.note(result.ID, Finding{Must: result.Must, Verdict: verdict, Reason: result.Found, Needs: result.Needs, Early: result.Early})
	}
	return nil
}
