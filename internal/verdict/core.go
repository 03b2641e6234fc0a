package verdict

import "reconform.dev/reconform/conformance/api/v1alpha1"

// Core counts how many of the core requirements, which are given by their IDs, the
// results judge. All of them are given, whatever was selected: one that has no
// result, or only skipped or inconclusive ones, was not judged. Repeated results
// count once.
func Core(results []v1alpha1.Result, ids []string) v1alpha1.Coverage {
	judged := map[string]bool{}
	for _, r := range results {
		if r.Verdict == v1alpha1.Passed || Fails(r.Verdict) {
			judged[r.ID] = true
		}
	}
	coverage := v1alpha1.Coverage{Total: len(ids)}
	for _, id := range ids {
		if judged[id] {
			coverage.Judged++
		}
	}
	return coverage
}
