package main

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// plan returns the plan for what the flags select, for the profile. If that is what did
// not pass in an earlier run, it returns what keeps the report of that run.
func (f *runFlags) plan(p *profile.Profile, shard *v1alpha1.Shard) (*runner.Plan, *renewal, error) {
	selected, all, err := f.selection.requirements()
	if err != nil {
		return nil, nil, err
	}
	var renewed *renewal
	requirements := selected
	if shard != nil {
		requirements = catalogue.In(*shard, selected)
	}
	if f.rerunFailed {
		renewed = &renewal{all: all}
		if requirements, renewed.earlier, err = failedBefore(requirements, f.reportDir, p); err != nil {
			return nil, nil, err
		}
		if err := f.sameKubernetes(renewed.earlier); err != nil {
			return nil, nil, err
		}
		selected = requirements
	}
	plan, err := runner.NewPlanOfPart(p, all, requirements, selected)
	if err != nil {
		return nil, nil, err
	}
	if f.kubeconfig != "" {
		plan.SpareDefinitions()
	}
	if len(plan.Scenarios) == 0 {
		return nil, nil, fmt.Errorf("nothing to run: %s", whyNothing(plan.Skipped))
	}
	return plan, renewed, nil
}

// whyNothing says why a selection is empty.
func whyNothing(skipped []v1alpha1.Result) string {
	if len(skipped) == 0 {
		return errNothingMatches.Error()
	}
	reasons := map[string]string{}
	for _, s := range skipped {
		reasons[s.ID] = s.Reason
	}
	return strings.Join(idsByReason(reasons), "; ")
}
