package runner

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/verdict"
)

// whole says whether a selection contains all requirements, except slow ones perhaps.
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
// plan has the requirement for that.
func (r *run) advise(i *Implementation, results []v1alpha1.Result) error {
	n := slices.IndexFunc(i.Plan.Scenarios, func(planned Planned) bool { return planned.Requirement.WholeRun })
	if n < 0 {
		return nil
	}
	rights := verdict.Rights{Requirement: i.Plan.Scenarios[n].Requirement, Claims: i.Profile.Spec.Claims}
	var err error
	if rights.Grants, err = i.Profile.Grants(); err != nil {
		return fmt.Errorf("reading the profile's RBAC manifests: %w", err)
	}
	for _, scenario := range r.recorder.Scenarios() {
		rights.Requests = append(rights.Requests, r.recorder.Requests(history.Query{Scenario: scenario, Exempt: true})...)
	}
	for _, failed := range verdict.JudgeRights(rights, results) {
		r.accuse(failed)
	}
	return nil
}
