package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

const logLines = 20

// judge makes the result of one scenario from what Chainsaw reported, what the recorder
// saw, what of the bench broke meanwhile, and what no subject could reach.
func (r *run) judge(scenario scenario, test *chainsaw.Test, broken error, unreached unreached) finding {
	result := newResult(scenario.requirement)
	result.Repeat = scenario.repeat
	c := r.caseOf(scenario, test, broken)
	c.Unreached = unreached.of(scenario)
	if test != nil && !test.Started.IsZero() { // one that was cut has not ended by itself
		result.Duration = metav1.Duration{Duration: c.Ended.Sub(test.Started).Round(time.Millisecond)}
	}
	found := verdict.Judge(c)
	result.Verdict, result.Reason = found.Verdict, found.Reason
	result.Unclaimed = len(scenario.unclaimed) > 0 && result.Verdict != v1alpha1.Skipped
	result.Exercised, result.Idle = found.Exercised, found.Idle
	if verdict.NeedsLook(result.Verdict) {
		result.Evidence = r.evidence(scenario, test, found, c.Account)
	}
	return finding{Finding: found, scenario: scenario, result: result, broken: broken != nil}
}

// caseOf collects what is known about a scenario that ran. It reads the recorder once.
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

// evidence gathers what helps to find the cause. If something happened that must never
// happen, the evidence is the requests that prove it, and not the log.
func (r *run) evidence(scenario scenario, test *chainsaw.Test, found verdict.Finding, account history.Account) *v1alpha1.Evidence {
	requirement := scenario.requirement
	e := &v1alpha1.Evidence{
		Catches: requirement.Catches, Hint: requirement.Hint, Namespace: scenario.namespace,
		Violations: found.Violations, Requests: proving(account, found.Violations), Symptoms: found.Symptoms, Without: found.Without,
		Happened: found.Happened, Before: found.Before,
		Excused:   found.Excused,
		Reproduce: scenario.implementation.reproduce(requirement, r.options), Logs: logsOf(r.options.ReportDir, scenario.namespace),
	}
	if elsewhere := found.Without != nil && !judges(requirement, found.Violations); elsewhere {
		// The scenario is about something else, and that was not wrong.
		e.Catches, e.Hint = "", invariant.Hint(found.Violations[0].Rule)
		if found.Violations[0].Rule == v1alpha1.RuleCrashed && requirement.Hint != "" {
			e.Hint += " If it ended because of what this scenario does: " + requirement.Hint
		}
	}
	if found.Mistake != "" {
		e.Catches, e.Hint = found.Mistake, found.Hint
	}
	if len(e.Requests) == 0 {
		e.Recent = recent(account)
	}
	crashed := slices.ContainsFunc(found.Violations, func(v v1alpha1.Violation) bool { return v.Rule == v1alpha1.RuleCrashed })
	if len(e.Requests) == 0 || crashed {
		e.Log = r.lastWords(scenario.namespace)
	}
	if len(found.Violations) > 0 {
		e.Failure = found.Failure
	}
	step := ""
	if test != nil && len(test.Failures) > 0 {
		first := test.Failures[0]
		step = first.Step
		e.Step = first.Step + ": " + first.Operation
		e.Difference, e.Details = first.Message, first.Of.Details
	} else if test != nil && len(e.Requests) == 0 && len(found.Violations) == 0 {
		e.Difference = strings.Join(test.Output, "\n")
	}
	e.Scenario = fmt.Sprintf("scenarios/%s:%d", requirement.Path, requirement.Line(step))
	e.Rendered = r.keepRendered(scenario)
	return e
}

// judges says whether a requirement is the home of one of the violations.
func judges(requirement catalogue.Requirement, violations []v1alpha1.Violation) bool {
	return slices.ContainsFunc(violations, func(v v1alpha1.Violation) bool { return slices.Contains(requirement.Judges, v.Rule) })
}

// mostProving is the largest number of requests that are shown in words.
const mostProving = 10

// proving returns the requests that prove violations, in words.
func proving(account history.Account, violations []v1alpha1.Violation) []string {
	var proof []int64
	for _, violation := range violations {
		proof = append(proof, violation.Requests...)
	}
	var lines []string
	for _, request := range account.Requests {
		if slices.Contains(proof, request.Seq) && len(lines) < mostProving {
			lines = append(lines, fmt.Sprintf("%s by %s at %s: %d, %s",
				request.InWords(), request.Replica, request.Time.Format("15:04:05.000"), request.Code, request.Effect))
		}
	}
	return lines
}

// newResult returns a result for the requirement, without a verdict yet.
func newResult(requirement catalogue.Requirement) v1alpha1.Result {
	return v1alpha1.Result{
		ID: requirement.ID, Area: requirement.Area, Level: requirement.Level,
		Feature: requirement.Claim(), Must: requirement.Must,
	}
}
