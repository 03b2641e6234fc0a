package check

import (
	"fmt"
	"slices"
	"sync"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// candidate is a submission that is being judged.
type candidate struct {
	checks         []lab.Check
	profile        *profile.Profile // as it was submitted
	plays          []string
	implementation *runner.Implementation // with the plan of the requirements

	mu    sync.Mutex         // plays are performed at the same time
	found map[string]Finding // by the ID of the check
}

// asks tells whether the submission is judged by a check.
func (c *candidate) asks(id string) bool {
	return slices.ContainsFunc(c.checks, func(check lab.Check) bool { return check.ID == id })
}

// note notes the finding of a check.
func (c *candidate) note(id string, f Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[id] = f
}

// newCandidate plans the judgement of a submission. The requirements are judged by the profile
// required.
func newCandidate(s Submission, name string, required *profile.Profile) (*candidate, error) {
	all, err := catalogue.Embedded()
	if err != nil {
		return nil, err
	}
	c := &candidate{profile: s.Profile, found: map[string]Finding{}}
	var requirements []catalogue.Requirement
	for _, check := range checksOf(s.Labs) {
		c.checks = append(c.checks, check)
		if name, ok := play.Of(check.ID); ok {
			if !slices.Contains(c.plays, name) {
				c.plays = append(c.plays, name)
			}
			continue
		}
		same := func(r catalogue.Requirement) bool { return r.ID == check.ID }
		n := slices.IndexFunc(all, same)
		if n < 0 {
			return nil, fmt.Errorf("there is no requirement %s", check.ID)
		}
		if !slices.ContainsFunc(requirements, same) {
			requirements = append(requirements, all[n])
		}
	}
	plan, err := runner.NewPlan(required, requirements)
	if err != nil {
		return nil, err
	}
	for _, result := range plan.Skipped {
		c.found[result.ID] = Finding{Must: result.Must, Verdict: result.Verdict, Reason: result.Reason}
	}
	c.implementation = &runner.Implementation{Name: name, Profile: required, ProfileArgument: required.File, Plan: plan}
	return c, nil
}

// checksOf returns the checks of labs, each once.
func checksOf(labs []*lab.Lab) (checks []lab.Check) {
	for _, l := range labs {
		for _, c := range l.Checks {
			same := func(have lab.Check) bool { return have.ID == c.ID && have.Criterion == c.Criterion }
			if !slices.ContainsFunc(checks, same) {
				checks = append(checks, c)
			}
		}
	}
	return checks
}

// stage returns the namespace of a play.
func (c *candidate) stage(which string) string {
	return "reconform-" + c.implementation.Name + "-" + which
}

// findings returns the findings in the order of the checks.
func (c *candidate) findings() (findings []Finding) {
	for _, check := range c.checks {
		finding, ok := c.found[check.ID]
		if !ok {
			finding = Finding{Verdict: v1alpha1.ResultInconclusive, Reason: "it was not judged"}
		}
		finding.Check = check
		findings = append(findings, finding)
	}
	return findings
}
