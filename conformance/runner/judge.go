package runner

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/catalogue"
	"reconform.dev/reconform/conformance/chainsaw"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/verdict"
)

const (
	logLines     = 20
	maxUnordered = 5
)

// judge makes the result of one scenario of what Chainsaw said of it, what the
// recorder saw, and what broke meanwhile.
func (r *run) judge(scenario scenario, test *chainsaw.Test, broken error) v1alpha1.Result {
	result := newResult(scenario.requirement)
	result.Repeat = scenario.repeat
	facts := verdict.Facts{}
	if broken != nil {
		facts.BenchFailure = broken.Error()
	}
	if test != nil {
		facts.Ran, facts.Finished, facts.Passed = true, test.Finished, test.Passed
		if !test.Started.IsZero() {
			result.Duration = metav1.Duration{Duration: test.Ended.Sub(test.Started).Round(time.Millisecond)}
		}
		if !test.Passed && len(test.Failures) > 0 {
			facts.Failure = reason(test.Failures[0])
			if unanswered(test.Failures[0]) {
				facts.Failure, facts.Unanswered = "", facts.Failure
			}
		}
	}
	started, crash := r.subjectEvents(scenario.namespace)
	facts.NoTraffic = started && !r.recorder.Seen(scenario.namespace, subjectName, time.Time{})
	for i, e := range r.recorder.ServerErrors(scenario.namespace, time.Time{}) {
		if i == maxUnordered {
			break
		}
		facts.Unordered = append(facts.Unordered, fmt.Sprintf("#%d %d on %s %s", e.Seq, e.Code, e.Verb, e.Path))
	}
	facts.Violations = r.violations(scenario)
	facts.Unfired = unfired(r.recorder.Events(scenario.namespace))
	if test != nil && (!test.Passed || len(facts.Violations) > 0) {
		facts.Starved = r.starved(scenario, test)
	}
	if facts.Failure != "" && crash != "" && len(facts.Violations) == 0 {
		facts.Failure += "; the subject ended by itself: " + crash
	}
	result.Verdict, result.Reason = verdict.Of(facts)
	if result.Verdict == v1alpha1.Failed || result.Verdict == v1alpha1.ResultInconclusive {
		result.Evidence = r.evidence(scenario, test)
		result.Evidence.Violations = facts.Violations
	}
	return result
}

// evidence gathers what helps to find the cause.
func (r *run) evidence(scenario scenario, test *chainsaw.Test) *v1alpha1.Evidence {
	requirement := scenario.requirement
	e := &v1alpha1.Evidence{
		Catches: requirement.Catches, Hint: requirement.Hint, Namespace: scenario.namespace,
		Log:       lastLines(r.logDir(scenario.namespace), logLines),
		Reproduce: scenario.implementation.reproduce(requirement),
	}
	if test != nil && len(test.Failures) > 0 {
		first := test.Failures[0]
		e.Step = first.Step + ": " + first.Operation
		e.Difference = first.Message
	} else if test != nil {
		e.Difference = strings.Join(test.Output, "\n")
	}
	return e
}

// How long, for a time scale of 1, the API server may take before nobody can be blamed
// for being late. On a busy machine an answer takes up to 2 s; with twenty times more
// work than cores, up to 6 s.
const (
	// starving is what one answer to anybody may take, and what all that are slow may
	// take together, within a stretch of time, where the subject itself waits for them.
	starving = 6 * time.Second
	// slow is what an answer takes that counts in the sum, and which is never the
	// subject's own doing: one that asks in a tight loop waits all the time, too.
	slow    = time.Second
	stretch = 15 * time.Second
)

// starved says what shows that the machine was too busy during the test of a scenario, or nothing.
func (r *run) starved(scenario scenario, test *chainsaw.Test) string {
	until := test.Ended
	if until.IsZero() {
		until = time.Now()
	}
	scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * r.options.TimeoutScale) }
	const advice = "the machine was too busy to judge (use --parallel, --timeout-scale, or less beside it)"
	slowest, found := r.recorder.Slowest(test.Started, until)
	if found && slowest.Duration.Duration >= scaled(starving) {
		return fmt.Sprintf("%s: the API server took %s to answer %s %s (#%d)",
			advice, slowest.Duration.Round(100*time.Millisecond), slowest.Method, slowest.Path, slowest.Seq)
	}
	query := history.Query{Scenario: scenario.namespace, Since: test.Started, Until: until, Exempt: true}
	if waited, of := r.recorder.LongestWait(query, scaled(slow), scaled(stretch)); waited >= scaled(starving) {
		return fmt.Sprintf("%s: within %s, the controller waited %s for %d slow answers of the API server (#%d to #%d)",
			advice, scaled(stretch), waited.Round(100*time.Millisecond), len(of), of[0].Seq, of[len(of)-1].Seq)
	}
	return ""
}

// noAnswer is how client-go words a request that it got no answer to.
var noAnswer = regexp.MustCompile(`^(?:(?:Get|Post|Put|Patch|Delete) "https?://|client rate limiter Wait returned an error)`)

// unanswered tells whether an operation failed because a request of its own had no
// answer in time. That says nothing of the subject, least of all on a busy machine.
func unanswered(failure chainsaw.Failure) bool {
	return noAnswer.MatchString(strings.TrimSpace(failure.Message))
}

// reason is a failed operation in a line: the step, and the findings that
// Chainsaw lists with a star before its long difference.
func reason(failure chainsaw.Failure) string {
	var findings []string
	for line := range strings.SplitSeq(failure.Message, "\n") {
		if finding, ok := strings.CutPrefix(strings.TrimSpace(line), "* "); ok {
			findings = append(findings, finding)
		}
	}
	if len(findings) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(failure.Message), "\n")
		findings = []string{first}
	}
	operation := strings.TrimSpace(failure.Operation + " " + failure.Object)
	return fmt.Sprintf("at %q (%s): %s", failure.Step, operation, strings.Join(findings, "; "))
}

// newResult is a result of the requirement that has no verdict yet.
func newResult(requirement catalogue.Requirement) v1alpha1.Result {
	return v1alpha1.Result{
		ID: requirement.ID, Area: requirement.Area, Level: requirement.Level,
		Feature: requirement.Claim(), Must: requirement.Must,
	}
}
