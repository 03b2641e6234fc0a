package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// leastPrivilege is a claim: the rights of the implementation are not too broad.
const leastPrivilege = "least-privilege"

// Overreach returns what is too much in the rights that the manifests of an implementation
// grant. It compares them with all requests, including those for Leases and Events.
func Overreach(granted []profile.Grant, requests []history.Request) v1alpha1.Rights {
	return compare(grantsOf(granted), requests)
}

// JudgeRights completes the results of a requirement whose scenario passed, by what the
// whole run shows. The scenario itself only adds requests to those of the run. JudgeRights
// returns the results that fail because of this.
func JudgeRights(requirement catalogue.Requirement, claims v1alpha1.Claims, found v1alpha1.Rights, results []v1alpha1.Result) (failed []v1alpha1.Result) {
	for n := range results {
		if result := &results[n]; result.ID == requirement.ID && result.Verdict == v1alpha1.Passed {
			judgeRights(requirement, claims, found, result)
			if result.Verdict == v1alpha1.Failed {
				failed = append(failed, *result)
			}
		}
	}
	return failed
}

// judgeRights completes one result. Rights that are not used are only advice: a scenario
// that would use them may be missing, or was not run.
func judgeRights(requirement catalogue.Requirement, claims v1alpha1.Claims, found v1alpha1.Rights, result *v1alpha1.Result) {
	result.Advice = slices.Clone(found.Broad)
	for _, unused := range found.Unused {
		result.Advice = append(result.Advice, unused.Rule+": not used in this run: "+strings.Join(unused.Rights, ", "))
	}
	if len(found.Broad) > 0 && slices.Contains(claims.Features, leastPrivilege) {
		result.Verdict = v1alpha1.Failed
		result.Reason = "the profile claims " + leastPrivilege + ": " + strings.Join(found.Broad, "; ")
		result.Evidence = &v1alpha1.Evidence{Catches: requirement.Catches, Hint: requirement.Hint}
		return
	}
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{
		{len(found.Broad), "too broad"}, {len(found.Unused), "with rights to write that this run did not use"},
	} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	if len(parts) > 0 {
		result.Reason = "rules of its roles: " + strings.Join(parts, ", ")
	}
}
