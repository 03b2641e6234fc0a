package explore

import (
	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

// masks returns what differs between two outcomes of the same operation. An object that
// only one of them has is masked as a whole.
func masks(one, other map[string]any) []v1alpha1.TrialMask {
	var all []v1alpha1.TrialMask
	for _, d := range snapshot.Between(one, other) {
		all = append(all, v1alpha1.TrialMask{Object: d.Object, Path: d.Path})
	}
	return all
}
