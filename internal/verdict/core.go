package verdict

import "reconform.dev/reconform/conformance/api/v1alpha1"

// Core counts how many core requirements the results judge. ids are the IDs of all core
// requirements, whatever was selected. A requirement with no result, or with only skipped
// or inconclusive results, was not judged. Repeated results count once.
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
