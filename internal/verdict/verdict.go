package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// facts are what is known of one scenario after it ran.
type facts struct {
	// Ran is false if the scenario never started.
	Ran bool
	// Finished is false if the scenario was cut short.
	Finished bool
	// Passed is true if every step of the scenario passed.
	Passed bool
	// Failure names the step that failed, and why. It is empty if none failed.
	Failure string
	// BenchFailure says what broke that is not part of the subject: the control plane, the
	// bench, or the writing of the history.
	BenchFailure string
	// Lost is a replica that was killed although nobody had ordered it, and why. It is
	// empty if there was none.
	Lost string
	// Unordered are server errors (429 and 5xx) that the subject got although nothing had
	// asked for them.
	Unordered []string
	// Late are unordered errors after the last step and before a violation. They may be
	// the reason for the violation, and they change nothing else.
	Late []string
	// Violations of what must never happen, except those that the scenario provokes.
	Violations []v1alpha1.Violation
	// Unanswered is the step that failed, and why, if the reason is that a request of the
	// scenario itself got no answer in time.
	Unanswered string
	// Refused says which request of the scenario itself was refused, and by whom, if that
	// is why it failed: the profile or the scenario does not fit. Otherwise it is empty.
	Refused string
	// Misfit is the step that failed, and why, if the reason is that the schema of the
	// subject's resource refused the scenario's object.
	Misfit string
	// Unscheduled is the step that failed, and why, if meanwhile the scheduler had no Node
	// for a Pod of the scenario.
	Unscheduled string
	// Unserved is the step that failed, and why, if the bench could not serve a request for a
	// process of a Pod before that, and this may be the reason.
	Unserved string
	// Excuse is why a step that waited without success proves nothing, and that step: nobody
	// knows when the next attempt is due, or the subject tried to reach a Pod or a Service that
	// does not answer on the local control plane.
	Excuse string
	// Unprepared is the step that failed, and why, if it is not a step that judges:
	// something that had to be given was not, or something that had to happen did not.
	Unprepared string
	// Barred is a request that the bench refused although the controller had the right to
	// it. It is empty if there was none.
	Barred string
	// Starved says what shows that the machine was too busy for anybody to be in time. It
	// is empty if nothing shows that.
	Starved string
	// Crowded says what shows that the machine was rather busy, if a step failed and something
	// was violated, too: such a scenario gets no second look.
	Crowded string
	// Proved is true if the failure is something that the subject did, as its requests or
	// the versions of objects show. It is then a failure however slow the machine is.
	Proved bool
	// Faults and Disruptions of the scenario, and what happened to them.
	Faults firingList
	// Polled says that Faults on watches did not fire because the controller polls, and opens
	// none. Otherwise it is empty.
	Polled string
	// Optional is true if the requirement is core, and its scenario has Faults of which
	// none had to fire and none did.
	Optional bool
	// Exempted says what would have been found without the profile's exemptions.
	Exempted []string
	// Declared are violations of the rules that the scenario is the home of, if the
	// profile exempts requests from these rules by name.
	Declared []string
	// NoBystanders is why not all bystanders could be made, if the requirement needs them.
	NoBystanders string
	// InTheWay is a creation that failed because a bystander had the name. It is empty if
	// there was none.
	InTheWay string
	// NoTraffic is true if the scenario has a Subject that never sent a request.
	NoTraffic bool
}

// verdict returns the verdict on one scenario, and the reason. What the bench broke never
// counts against the subject. What never happened never passes. The requests that a
// violation names prove it, whatever else went wrong. If the scenario did not do to the
// subject what it had to do, then nothing that the subject did proves anything, for or
// against it. The same holds for what came too late, or never, on a machine that had no
// time for it. What the subject did counts on any machine. What it did not do in time does
// not count on a busy one.
func (f facts) verdict() (v1alpha1.ResultVerdict, string) {
	unfired := f.Faults.unfired()
	switch {
	case f.BenchFailure != "":
		return v1alpha1.ResultInconclusive, f.BenchFailure
	case !f.Ran:
		return v1alpha1.ResultInconclusive, "the scenario never ran"
	case slices.ContainsFunc(f.Violations, Timeless):
		return v1alpha1.Failed, f.violated()
	case f.Lost != "":
		return v1alpha1.ResultInconclusive, f.Lost
	case len(f.Unordered) > 0:
		return v1alpha1.ResultInconclusive, fmt.Sprintf(
			"the API server answered with errors that nobody ordered: %s", strings.Join(f.Unordered, "; "))
	case len(f.Violations) > 0 && len(f.Late) > 0:
		return v1alpha1.ResultInconclusive, fmt.Sprintf(
			"the API server answered with errors that nobody ordered: %s; %s", strings.Join(f.Late, "; "), f.violated())
	case len(f.Violations) > 0 && f.Starved == "":
		return v1alpha1.Failed, f.violated()
	case len(f.Declared) > 0:
		return v1alpha1.Skipped, "exempted: the profile declares what it is about: " + told(f.Declared)
	case f.Barred != "" && !f.Passed:
		reason := "it was refused what it may need: " + f.Barred
		if f.Failure != "" {
			reason += "; the scenario failed " + f.Failure
		}
		return v1alpha1.ResultInconclusive, reason
	case f.Polled != "":
		return v1alpha1.NotExercised, f.Polled
	case len(unfired) > 0:
		reason := strings.Join(unfired, "; ")
		if f.Failure != "" {
			reason += "; the scenario failed " + f.Failure
		}
		return v1alpha1.ResultInconclusive, reason
	case f.Unanswered != "":
		return v1alpha1.ResultInconclusive, "the API server did not answer the scenario in time: " + f.Unanswered
	case f.Refused != "":
		return v1alpha1.ResultInconclusive, f.Refused
	case f.Misfit != "":
		return v1alpha1.ResultInconclusive, "the profile does not fit: " + f.Misfit
	case f.Unscheduled != "":
		return v1alpha1.ResultInconclusive, f.Unscheduled
	case f.Unserved != "":
		return v1alpha1.ResultInconclusive, f.Unserved
	case f.Excuse != "":
		return v1alpha1.ResultInconclusive, f.Excuse
	case f.Unprepared != "":
		return v1alpha1.ResultInconclusive, "the scenario could not be carried out: it failed " + f.Unprepared
	case !f.Finished:
		return v1alpha1.ResultInconclusive, "the scenario was cut short"
	case f.Starved != "" && !f.Passed && !f.Proved:
		return v1alpha1.ResultInconclusive, f.Starved + "; the scenario failed " + f.Failure
	case f.Starved != "" && len(f.Violations) > 0:
		return v1alpha1.ResultInconclusive, f.Starved + "; " + f.violated()
	case !f.Passed && f.Failure == "":
		return v1alpha1.ResultInconclusive, "the scenario failed without saying at which step"
	case !f.Passed && f.InTheWay != "" && !f.Proved:
		return v1alpha1.ResultInconclusive, "a bystander of the bench was in the way of " + f.InTheWay + "; the scenario failed " + f.Failure
	case !f.Passed:
		return v1alpha1.Failed, f.Failure
	case f.NoTraffic:
		return v1alpha1.ResultInconclusive, "the scenario passed, but no request of the subject was ever seen"
	case len(f.Faults.unfinished()) > 0:
		return v1alpha1.ResultInconclusive, "the scenario passed, but " + strings.Join(f.Faults.unfinished(), "; ")
	case f.NoBystanders != "":
		return v1alpha1.ResultInconclusive, "the scenario passed, but not all bystanders could be made: " + f.NoBystanders
	case len(f.Exempted) > 0:
		return v1alpha1.Skipped, "exempted: it passed only because the profile exempts requests: " + told(f.Exempted)
	case f.Optional:
		return v1alpha1.NotExercised, "it passed, but none of its Faults fired: the controller sends none of the requests that they are about"
	default:
		return v1alpha1.Passed, ""
	}
}

// excused says whether the bench, the machine or the profile is why nothing can be
// concluded. Otherwise the reason may be something that the controller did not do: it did
// not make what had to be there, or sent no request that a Fault could hit.
func (f facts) excused() bool {
	if f.BenchFailure != "" || !f.Ran || f.Lost != "" || len(f.Unordered) > 0 || f.Barred != "" && !f.Passed {
		return true
	}
	return len(f.Faults.unfired()) == 0 && f.Unprepared == "" && f.Finished
}

// without returns the verdict if the violations are left out. It returns nil if there are
// none, or if a step that judges failed as well. A step that may only have been too late, on
// a busy machine, has not failed: the violations prove themselves, and nothing about it.
func (f facts) without() *v1alpha1.Itself {
	if len(f.Violations) == 0 || f.Failure != "" && (f.Proved || f.Crowded == "") {
		return nil
	}
	f.Violations, f.Starved = nil, cmp.Or(f.Starved, f.Crowded)
	itself := &v1alpha1.Itself{}
	itself.Verdict, itself.Reason = f.verdict()
	return itself
}

// repeatable says whether a scenario that did not pass may pass in another run. It may not
// if it never ran, if it was refused, or if the subject did what must never be done. Nor may it
// if it waited for an attempt and nobody knows when that is due, or for a Pod that does not
// answer: it would only wait again.
func (f facts) repeatable() bool {
	return f.Ran && f.BenchFailure == "" && f.Barred == "" && f.Refused == "" && f.Misfit == "" && f.Unscheduled == "" && f.Excuse == "" && !slices.ContainsFunc(f.Violations, Timeless)
}

// Timeless says whether a violation counts however slow the machine is. Two rules do not:
// a controller that gets no CPU time loses its Lease, and then ends.
func Timeless(violation v1alpha1.Violation) bool {
	return violation.Rule != v1alpha1.RuleCrashed && violation.Rule != v1alpha1.RuleNotLeader
}

// mostTold is how many violations a reason lists. The evidence has them all.
const mostTold = 3

// violated says what must never happen and did, and which step failed, if one did.
func (f facts) violated() string {
	var parts []string
	for _, violation := range f.Violations {
		parts = append(parts, violation.Rule+": "+violation.Message)
	}
	text := told(parts)
	if f.Failure != "" {
		text += "; the scenario failed " + f.Failure
	}
	return text
}

// told joins texts about violations. If there are many, it leaves some out.
func told(parts []string) string {
	if more := len(parts) - mostTold; more > 0 {
		parts = append(slices.Clone(parts[:mostTold]), fmt.Sprintf("%d more violations", more))
	}
	return strings.Join(parts, "; ")
}

// Fails says whether this verdict makes an implementation not conformant.
func Fails(v v1alpha1.ResultVerdict) bool { return v == v1alpha1.Failed || v == v1alpha1.Flaky }

// NeedsLook says whether somebody must look at a requirement with this verdict: it failed, or
// could not be judged. Only [Fails] accuses the controller.
func NeedsLook(v v1alpha1.ResultVerdict) bool {
	return Fails(v) || v == v1alpha1.ResultInconclusive || v == v1alpha1.Blocked
}

// NotPassed returns the results that failed, were blocked or came to no conclusion. A
// controller that is known to conform must have none.
func NotPassed(results []v1alpha1.Result) []v1alpha1.Result {
	var found []v1alpha1.Result
	for _, r := range results {
		if NeedsLook(r.Verdict) {
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
	case v1alpha1.Blocked:
		s.Blocked++
	case v1alpha1.Flaky:
		s.Flaky++
	case v1alpha1.NotExercised:
		s.NotExercised++
	}
}

// ofRun judges the whole run. core says how much of the core was judged. One failure
// outweighs everything else, because it was proved. Blocked results do not count in
// addition to their cause. If core requirements were not judged, because they were skipped
// or not selected, the verdict is partial: what was not judged was not passed. Extended
// requirements may be left out: if the whole core is judged, a run without them is
// conformant.
func ofRun(results []v1alpha1.Result, core v1alpha1.Coverage) v1alpha1.Verdict {
	s := Summarize(results)
	switch {
	case s.Failed+s.Flaky > 0:
		return v1alpha1.NotConformant
	case s.Inconclusive+s.Blocked > 0 || s.Passed+s.NotExercised == 0:
		return v1alpha1.Inconclusive
	case core.Judged < core.Total:
		return v1alpha1.Partial
	default:
		return v1alpha1.Conformant
	}
}

// ExitStatus returns the exit status of the command for a verdict.
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
