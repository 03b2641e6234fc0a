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
	"reconform.dev/reconform/conformance/verdict"
)

const (
	logLines     = 20
	maxUnordered = 5
)

// judge makes the result of one scenario of what Chainsaw said of it, what the
// recorder saw, and what broke meanwhile. A second look may find another where the
// machine was too busy at the first.
func (r *run) judge(scenario scenario, test *chainsaw.Test, broken error) (result v1alpha1.Result, again bool) {
	result = newResult(scenario.requirement)
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
			switch first := test.Failures[0]; {
			case unanswered(first):
				facts.Failure, facts.Unanswered = "", facts.Failure
			case !accuses(first):
				facts.Failure, facts.Unprepared = "", facts.Failure
			}
		}
	}
	account := r.recorder.Account(scenario.namespace)
	started, crash := subjectEvents(account.Events)
	facts.NoTraffic = started && !account.Seen(subjectName)
	for i, e := range account.ServerErrors() {
		if i == maxUnordered {
			break
		}
		facts.Unordered = append(facts.Unordered, fmt.Sprintf("#%d %d on %s %s", e.Seq, e.Code, e.Verb, e.Path))
	}
	facts.Violations = violations(scenario, account)
	facts.Unfired = unfired(account.Events)
	if test != nil && (!test.Passed || len(facts.Violations) > 0) {
		if waits := r.busy(account, test, starving); waits != "" {
			facts.Starved = "the machine was too busy to judge (use --parallel, --timeout-scale, or less beside it): " + waits
		}
	}
	if facts.Failure != "" && crash != "" && len(facts.Violations) == 0 {
		facts.Failure += "; the subject ended by itself: " + crash
	}
	result.Verdict, result.Reason = verdict.Of(facts)
	if result.Verdict != v1alpha1.Passed {
		again = verdict.Excusable(facts) && r.crowded(account, test, facts)
		result.Evidence = r.evidence(scenario, test)
		result.Evidence.Violations = facts.Violations
	}
	return result, again
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

// noAnswer is how client-go words a request that it got no answer to.
var noAnswer = regexp.MustCompile(`^(?:(?:Get|Post|Put|Patch|Delete) "https?://|client rate limiter Wait returned an error)`)

// unanswered tells whether an operation failed because a request of its own had no
// answer in time. That says nothing of the subject, least of all on a busy machine.
func unanswered(failure chainsaw.Failure) bool {
	return noAnswer.MatchString(strings.TrimSpace(failure.Message))
}

// accuses tells whether a failed operation says something of the subject: it does in a
// step that judges, unless the bench could not judge.
func accuses(failure chainsaw.Failure) bool {
	role := catalogue.RoleOf(failure.Step)
	return role != catalogue.Given && role != catalogue.When && !failure.CannotBeJudged()
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
