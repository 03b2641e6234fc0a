package runner

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// whole tells whether a selection contains all requirements, except perhaps slow ones.
func whole(selected, all []catalogue.Requirement) bool {
	ids := map[string]bool{}
	for _, requirement := range selected {
		ids[requirement.ID] = true
	}
	return !slices.ContainsFunc(all, func(requirement catalogue.Requirement) bool {
		return !ids[requirement.ID] && !requirement.Slow
	})
}

// advise judges the rights of the controller by the requests of the whole run, if the
// plan has the requirement for that. A shard sees only a part of the requests: its
// report lists the rights that these did not use, and they are judged when all reports
// are merged.
func (r *run) advise(i *Implementation, results []v1alpha1.Result) error {
	n := slices.IndexFunc(i.Plan.Scenarios, func(planned Planned) bool { return planned.Requirement.WholeRun })
	if n < 0 && r.options.Shard == nil {
		return nil
	}
	grants, err := i.Profile.Grants()
	if err != nil {
		return fmt.Errorf("reading the profile's RBAC manifests: %w", err)
	}
	var requests []history.Request
	for _, scenario := range r.recorder.Scenarios() {
		requests = append(requests, r.recorder.Requests(history.Query{Scenario: scenario, Everything: true})...)
	}
	found := verdict.Overreach(grants, requests)
	if r.options.Shard != nil {
		r.rights = &v1alpha1.Rights{Broad: found.Broad, Unused: found.Unused}
		found.Unused = nil
	}
	if n < 0 {
		return nil
	}
	for _, failed := range verdict.JudgeRights(i.Plan.Scenarios[n].Requirement, i.Profile.Spec.Claims, found, results) {
		r.accuse(failed)
	}
	return nil
}
