package trial

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// HarmOldGeneration is the path of a Divergence: when all is quiet, the status of an object still
// names an earlier generation as the one that was observed last.
const HarmOldGeneration = "status of an earlier generation"

// oldGenerations returns the objects that the Trial created and whose status, as it was last seen,
// names an earlier generation than theirs. Nothing is returned if versions may be missing. What is
// so without the disturbance, too, is left out.
func (r *run) oldGenerations() []v1alpha1.Divergence {
	if _, seen := r.seen.count(); !seen {
		return nil // what was seen last may be old
	}
	created := r.created()
	var all []v1alpha1.Divergence
	for _, v := range r.seen.latest() {
		observed, told, _ := unstructured.NestedInt64(v.Object, "status", "observedGeneration")
		if !told || observed >= v.GetGeneration() || !slices.Contains(created, v.key()) {
			continue
		}
		all = append(all, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceHarm, Object: v.key(), Path: HarmOldGeneration,
			Expected: fmt.Sprintf("observedGeneration becomes %d", v.GetGeneration()), Found: fmt.Sprintf("observedGeneration is %d, and the generation %d", observed, v.GetGeneration()),
		})
	}
	return withoutUsual(all, r.spec.Undisturbed, nil) // their names are given
}
