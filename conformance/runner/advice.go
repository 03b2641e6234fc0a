package runner

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/catalogue"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/privilege"
)

// rights is the requirement that compares the rights granted with the requests of
// the whole run. Its scenario only adds requests to them.
const rights = "RB-002"

// whole says whether a selection leaves out nothing but what is slow.
func whole(selected, all []catalogue.Requirement) bool {
	ids := map[string]bool{}
	for _, requirement := range selected {
		ids[requirement.ID] = true
	}
	return !slices.ContainsFunc(all, func(requirement catalogue.Requirement) bool {
		return !ids[requirement.ID] && !requirement.Slow
	})
}

// advise judges the rights, where the scenario of that requirement passed.
func (r *run) advise(i *Implementation, results []v1alpha1.Result) error {
	if !slices.ContainsFunc(results, func(result v1alpha1.Result) bool { return result.ID == rights }) {
		return nil
	}
	clusterRoles, roles, err := i.Profile.RBACObjects()
	if err != nil {
		return fmt.Errorf("reading the profile's RBAC manifests: %w", err)
	}
	var requests []history.Request
	for _, scenario := range r.recorder.Scenarios() {
		requests = append(requests, r.recorder.Requests(history.Query{Scenario: scenario, Exempt: true})...)
	}
	findings := privilege.Compare(privilege.Grants(clusterRoles, roles), requests)
	for n := range results {
		if result := &results[n]; result.ID == rights && result.Verdict == v1alpha1.Passed {
			i.judgeRights(result, findings)
			if result.Verdict == v1alpha1.Failed {
				r.accuse(*result)
			}
		}
	}
	return nil
}

// judgeRights makes a result of findings. Rights that are never used are advice
// alone: a scenario that would use them may be missing.
func (i *Implementation) judgeRights(result *v1alpha1.Result, findings privilege.Findings) {
	result.Advice = slices.Concat(findings.Broad, findings.Unused)
	if len(findings.Broad) > 0 && i.Profile.Has(leastPrivilege) {
		result.Verdict = v1alpha1.Failed
		result.Reason = "the profile claims " + leastPrivilege + ": " + strings.Join(findings.Broad, "; ")
		for _, planned := range i.Plan.Scenarios {
			if requirement := planned.Requirement; requirement.ID == result.ID {
				result.Evidence = &v1alpha1.Evidence{Catches: requirement.Catches, Hint: requirement.Hint}
			}
		}
		return
	}
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{
		{len(findings.Broad), "too broad"}, {len(findings.Unused), "with rights to write that the whole run never used"},
	} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	if len(parts) > 0 {
		result.Reason = "rules of its roles: " + strings.Join(parts, ", ")
	}
}

// leastPrivilege is claimed by an implementation whose rights are not too broad.
const leastPrivilege = "least-privilege"
