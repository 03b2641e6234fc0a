package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// facts are what is known of one scenario after it ran.
type facts struct {
	// Ran is false where the scenario never started.
	Ran bool
	// Finished is false where it was cut short.
	Finished bool
	// Passed is true where every step of it did.
	Passed bool
	// Failure names the step that failed, and why. Empty where none did.
	Failure string
	// BenchFailure says what broke that is not the subject's: the control
	// plane, the bench, a history that could not be written.
	BenchFailure string
	// Unordered are server errors (429 and 5xx) that the subject met and nobody
	// had ordered.
	Unordered []string
	// Violations of what must never happen, those aside that the scenario provokes.
	Violations []v1alpha1.Violation
	// Unanswered is the step that failed, and why, where the reason is that a request
	// of the scenario itself had no answer in time.
	Unanswered string
	// Refused is the step that failed, and why, where the reason is that the API server
	// would not do what the scenario itself asked for: the profile, or the scenario,
	// does not fit.
	Refused string
	// Unprepared is the step that failed, and why, where it is not one that judges:
	// what was to be given was not, or what was to happen did not.
	Unprepared string
	// Barred is a request that the bench refused, and the controller had the right to.
	// Empty where there was none.
	Barred string
	// Starved says what shows that the machine was too busy for anybody to be in
	// time. Empty where nothing does.
	Starved string
	// Unfired are the Faults that had to fire and did not, and Disruptions that
	// could not be carried out, each with what is known of it.
	Unfired []string
	// NoTraffic is true where the scenario has a Subject that never sent a request.
	NoTraffic bool
}

// verdict on one scenario, and the reason for it. What the bench broke is never held
// against the subject, and what never happened never passes. A violation is proved by
// the requests that it names, whatever else went wrong. Where the scenario did not do
// to the subject what it had to, nothing that the subject did then proves anything,
// either way; nor does what came too late, or never, on a machine that had no time for
// it.
func (f facts) verdict() (v1alpha1.ResultVerdict, string) {
	switch {
	case f.BenchFailure != "":
		return v1alpha1.ResultInconclusive, f.BenchFailure
	case !f.Ran:
		return v1alpha1.ResultInconclusive, "the scenario never ran"
	case len(f.Unordered) > 0:
		return v1alpha1.ResultInconclusive, fmt.Sprintf(
			"the API server answered with errors that nobody ordered: %s", strings.Join(f.Unordered, "; "))
	case slices.ContainsFunc(f.Violations, timeless) || len(f.Violations) > 0 && f.Starved == "":
		return v1alpha1.Failed, f.violated()
	case f.Barred != "" && !f.Passed:
		reason := "it was refused what it may need: " + f.Barred
		if f.Failure != "" {
			reason += "; the scenario failed " + f.Failure
		}
		return v1alpha1.ResultInconclusive, reason
	case len(f.Unfired) > 0:
		reason := strings.Join(f.Unfired, "; ")
		if f.Failure != "" {
			reason += "; the scenario failed " + f.Failure
		}
		return v1alpha1.ResultInconclusive, reason
	case f.Unanswered != "":
		return v1alpha1.ResultInconclusive, "the API server did not answer the scenario in time: " + f.Unanswered
	case f.Refused != "":
		return v1alpha1.ResultInconclusive, "the API server refused what the scenario asked for: " + f.Refused
	case f.Unprepared != "":
		return v1alpha1.ResultInconclusive, "the scenario could not be carried out: it failed " + f.Unprepared
	case !f.Finished:
		return v1alpha1.ResultInconclusive, "the scenario was cut short"
	case f.Starved != "" && !f.Passed:
		return v1alpha1.ResultInconclusive, f.Starved + "; the scenario failed " + f.Failure
	case f.Starved != "" && len(f.Violations) > 0:
		return v1alpha1.ResultInconclusive, f.Starved + "; " + f.violated()
	case !f.Passed && f.Failure == "":
		return v1alpha1.ResultInconclusive, "the scenario failed without saying at which step"
	case !f.Passed:
		return v1alpha1.Failed, f.Failure
	case f.NoTraffic:
		return v1alpha1.ResultInconclusive, "the scenario passed, but no request of the subject was ever seen"
	default:
		return v1alpha1.Passed, ""
	}
}

// excusable tells whether a machine that was too busy may be to blame for a scenario
// that did not pass: not for what never ran, what was refused, or is proved by
// requests.
func (f facts) excusable() bool {
	return f.Ran && f.BenchFailure == "" && f.Barred == "" && f.Refused == "" && !slices.ContainsFunc(f.Violations, timeless)
}

// timeless tells whether a violation is one however slow the machine is. A
// controller that gets no time loses its Lease, and ends for it.
func timeless(violation v1alpha1.Violation) bool {
	return violation.Rule != v1alpha1.RuleCrashed && violation.Rule != v1alpha1.RuleNotLeader
}

// mostTold is how many violations a reason tells of. The evidence has them all.
const mostTold = 3

// violated says what must never happen and did, with the step that failed, where
// one did.
func (f facts) violated() string {
	var parts []string
	for i, violation := range f.Violations {
		if i == mostTold {
			parts = append(parts, fmt.Sprintf("%d more violations", len(f.Violations)-mostTold))
			break
		}
		parts = append(parts, violation.Rule+": "+violation.Message)
	}
	if f.Failure != "" {
		parts = append(parts, "the scenario failed "+f.Failure)
	}
	return strings.Join(parts, "; ")
}

// NotPassed are the results that failed or came to no conclusion: a controller that is
// known to conform must have none.
func NotPassed(results []v1alpha1.Result) []v1alpha1.Result {
	var found []v1alpha1.Result
	for _, r := range results {
		if r.Verdict == v1alpha1.Failed || r.Verdict == v1alpha1.ResultInconclusive {
			found = append(found, r)
		}
	}
	return found
}

// Summarize counts the results.
func Summarize(results []v1alpha1.Result) v1alpha1.Summary {
	var s v1alpha1.Summary
	for _, r := range results {
		Count(&s, r.Verdict)
	}
	return s
}

// Count adds one verdict to a summary.
func Count(s *v1alpha1.Summary, v v1alpha1.ResultVerdict) {
	switch v {
	case v1alpha1.Passed:
		s.Passed++
	case v1alpha1.Failed:
		s.Failed++
	case v1alpha1.ResultInconclusive:
		s.Inconclusive++
	case v1alpha1.Skipped:
		s.Skipped++
	}
}

// OfRun judges the whole run, of which core tells how much of the core was judged.
// One failure outweighs everything: it was proved. Where core requirements were not
// judged, skipped or not selected, it is partial: what was not judged was not passed.
// Extended requirements may be left out: where the whole core is judged, a run
// without them is conformant.
func OfRun(results []v1alpha1.Result, core v1alpha1.Coverage) v1alpha1.Verdict {
	s := Summarize(results)
	switch {
	case s.Failed > 0:
		return v1alpha1.NotConformant
	case s.Inconclusive > 0 || s.Passed == 0:
		return v1alpha1.Inconclusive
	case core.Judged < core.Total:
		return v1alpha1.Partial
	default:
		return v1alpha1.Conformant
	}
}

// ExitStatus of the command for a verdict.
func ExitStatus(v v1alpha1.Verdict) int {
	switch v {
	case v1alpha1.Conformant, v1alpha1.Partial:
		return 0
	case v1alpha1.NotConformant:
		return 1
	default:
		return 3
	}
}
