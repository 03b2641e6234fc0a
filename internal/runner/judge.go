package runner

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

const logLines = 20

// judge makes the result of one scenario from what Chainsaw reported, what the recorder
// saw, and what broke meanwhile.
func (r *run) judge(scenario scenario, test *chainsaw.Test, broken error) finding {
	result := newResult(scenario.requirement)
	result.Repeat = scenario.repeat
	if test != nil && !test.Started.IsZero() {
		result.Duration = metav1.Duration{Duration: test.Ended.Sub(test.Started).Round(time.Millisecond)}
	}
	found := verdict.Judge(r.caseOf(scenario, test, broken))
	result.Verdict, result.Reason = found.Verdict, found.Reason
	result.Unclaimed = len(scenario.unclaimed) > 0 && result.Verdict != v1alpha1.Skipped
	result.Exercised, result.Idle = found.Exercised, found.Idle
	if verdict.Accuses(result.Verdict) {
		result.Evidence = r.evidence(scenario, test)
		result.Evidence.Violations = found.Violations
	}
	return finding{Finding: found, scenario: scenario, result: result, broken: broken != nil}
}

// caseOf is what is known of a scenario that ran. What the recorder knows is read once.
func (r *run) caseOf(scenario scenario, test *chainsaw.Test, broken error) verdict.Case {
	c := verdict.Case{
		Requirement: scenario.requirement, Unclaimed: scenario.unclaimed, Contract: scenario.implementation.contract,
		Test: test, Broken: broken, Account: r.recorder.Account(scenario.namespace), TimeoutScale: r.options.TimeoutScale,
	}
	if test != nil {
		if c.Ended = test.Ended; c.Ended.IsZero() {
			c.Ended = time.Now()
		}
		if slowest, found := r.recorder.Slowest(test.Started, c.Ended); found {
			c.Slowest = &slowest
		}
	}
	return c
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

// newResult is a result for the requirement, without a verdict yet.
func newResult(requirement catalogue.Requirement) v1alpha1.Result {
	return v1alpha1.Result{
		ID: requirement.ID, Area: requirement.Area, Level: requirement.Level,
		Feature: requirement.Claim(), Must: requirement.Must,
	}
}
