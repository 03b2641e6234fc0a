package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/verdict"
)

// Judge judges the submissions at the same time, on one control plane. The findings of each
// are in the order of its labs' checks, each check once.
//
// If Quick is set, the first look has short limits and windows, and the requirements expect
// no long pauses, because a learner should not wait long for something that does not come.
// Plays wait for pauses as long as the profile declares. On a machine
// that is slow or busy, failures of this look prove nothing. So what is not reached is
// looked at again, one by one, with the limits of TimeoutScale, up to the first that is
// again not reached. What comes after that is not called wrong.
func Judge(ctx context.Context, options Options, submissions ...Submission) ([][]Finding, error) {
	all, err := looker(look).judge(ctx, options, submissions...)
	for _, findings := range all {
		needs(findings)
	}
	return all, err
}

// needs notes of what could not be judged which check must be reached first: that which was
// found to be the cause, or else the first before it that is not reached. What is reached
// is needed no more.
func needs(findings []Finding) {
	missing := map[string]bool{}
	for _, f := range findings {
		missing[f.ID] = !f.Reached()
	}
	first := ""
	for n := range findings {
		f := &findings[n]
		if f.Verdict == v1alpha1.Failed && f.Early && first != "" {
			f.Verdict = v1alpha1.Blocked
		}
		switch unjudged := f.Verdict == v1alpha1.Blocked || f.Verdict == v1alpha1.ResultInconclusive; {
		case unjudged && missing[f.Needs]:
		case unjudged && f.Result != nil && missing[f.Result.BlockedBy]:
			f.Needs = f.Result.BlockedBy
		case unjudged:
			f.Needs = first
		case f.Verdict == v1alpha1.Failed && first == "":
			first = f.ID
		}
	}
}

// looker is the type of look, so that tests can replace it.
type looker func(ctx context.Context, options Options, submissions ...Submission) (_ [][]Finding, quiet bool, err error)

func (look looker) judge(ctx context.Context, options Options, submissions ...Submission) ([][]Finding, error) {
	if options.Quick == 0 {
		all, _, err := look(ctx, options, submissions...)
		return all, err
	}
	first := options
	first.TimeoutScale, first.windowScale, first.hurried = min(options.Quick, options.TimeoutScale), quickWindows, true
	all, quiet, err := look(ctx, first, submissions...)
	if err != nil || quiet {
		return all, err
	}
	for n, s := range submissions {
		if err := look.again(ctx, options, s, all[n]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A first look counts requests for half as long. Whatever the profile declares, its
// requirements expect no longer pauses between two attempts than quickPause.
const (
	quickWindows = 0.5
	quickPause   = 10 * time.Second
)

// hurried returns a profile that declares no long pauses, and is the same otherwise.
func hurried(given *profile.Profile) *profile.Profile {
	if given == nil || given.Spec.Claims.Times.Retries().Longest.Duration <= quickPause {
		return given
	}
	p := *given
	p.Profile = *p.Profile.DeepCopy()
	p.Spec.Claims.Times.LongestRetryPause, p.Spec.Claims.Times.Retry = metav1.Duration{Duration: quickPause}, nil
	return &p
}

// again looks again at what a submission has not reached.
func (look looker) again(ctx context.Context, options Options, s Submission, findings []Finding) error {
	before := ""
	for n := range findings {
		f := &findings[n]
		switch {
		case !f.Doubtful():
		case before != "":
			f.Verdict, f.Needs = v1alpha1.ResultInconclusive, before
			f.Reason = fmt.Sprintf("the machine is slow, and this was not looked at for long enough, since %s is not reached", before)
		default:
			again, _, err := look(ctx, options, Submission{s.Profile, []*lab.Lab{{Checks: []lab.Check{f.Check}}}})
			if err != nil {
				return err
			}
			*f = again[0][0]
			if !f.Reached() {
				before = f.ID
			}
		}
	}
	return nil
}

// Doubtful tells whether the verdict might change if there were more time. What a
// controller's requests prove does not change, unless a slow machine may be the cause of
// the requests.
func (f *Finding) Doubtful() bool {
	if f.Reached() || f.Verdict == v1alpha1.Skipped {
		return false
	}
	return f.Result == nil || f.Result.Evidence == nil || !slices.ContainsFunc(f.Result.Evidence.Violations, verdict.Timeless)
}

// A quiet machine needs less than this to open a session, and to answer.
const (
	quietOpening      = time.Second
	quietFirstOpening = 4 * time.Second // on a fresh control plane
	quietAnswer       = 400 * time.Millisecond
)

// isQuiet tells whether the machine had enough time for a look that started at began.
func isQuiet(session *runner.Session, began time.Time, opened time.Duration, fresh bool) bool {
	opening := quietOpening
	if fresh {
		opening = quietFirstOpening
	}
	slowest, found := session.Recorder.Slowest(began, time.Now())
	return opened < opening && (!found || slowest.Duration.Duration < quietAnswer)
}
