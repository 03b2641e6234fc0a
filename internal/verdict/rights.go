package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/profile"
)

// leastPrivilege is claimed by an implementation whose rights are not too broad.
const leastPrivilege = "least-privilege"

// Rights are those that an implementation asks for, with what they are judged by.
type Rights struct {
	// Requirement that compares them with the requests of the whole run.
	Requirement catalogue.Requirement
	// Claims of the implementation.
	Claims v1alpha1.Claims
	// Grants of its manifests.
	Grants []profile.Grant
	// Requests of the whole run, those for Leases and Events too.
	Requests []history.Request
}

// JudgeRights completes the results that the scenario of the requirement passed.
// The scenario itself only adds requests to those of the run. What it returns are
// those that failed by it.
func JudgeRights(rights Rights, results []v1alpha1.Result) (failed []v1alpha1.Result) {
	found := compare(grantsOf(rights.Grants), rights.Requests)
	for n := range results {
		if result := &results[n]; result.ID == rights.Requirement.ID && result.Verdict == v1alpha1.Passed {
			rights.judge(result, found)
			if result.Verdict == v1alpha1.Failed {
				failed = append(failed, *result)
			}
		}
	}
	return failed
}

// judge makes a result of what was found. Rights that are never used are advice
// alone: a scenario that would use them may be missing.
func (r *Rights) judge(result *v1alpha1.Result, found overreach) {
	result.Advice = slices.Concat(found.Broad, found.Unused)
	if len(found.Broad) > 0 && slices.Contains(r.Claims.Features, leastPrivilege) {
		result.Verdict = v1alpha1.Failed
		result.Reason = "the profile claims " + leastPrivilege + ": " + strings.Join(found.Broad, "; ")
		result.Evidence = &v1alpha1.Evidence{Catches: r.Requirement.Catches, Hint: r.Requirement.Hint}
		return
	}
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{
		{len(found.Broad), "too broad"}, {len(found.Unused), "with rights to write that the whole run never used"},
	} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	if len(parts) > 0 {
		result.Reason = "rules of its roles: " + strings.Join(parts, ", ")
	}
}
