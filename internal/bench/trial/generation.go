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

// HarmNoGeneration is the path of a Divergence: when all is quiet, the status of an object, or a
// condition in it, names a generation as observed that the object never had, such as that of a child.
const HarmNoGeneration = "status of a generation that never was"

// HarmTwoConditions is the path of a Divergence: when all is quiet, the status of an object has two
// conditions of one type. Who asks for one gets either.
const HarmTwoConditions = "two conditions of one type"

// wrongStatuses returns the objects that the Trial created and whose status, as it was last seen,
// names an earlier generation than theirs, or a later one, or has two conditions of one type. Nothing
// is returned if versions may be missing. What is so without the disturbance, too, is left out.
func (r *run) wrongStatuses() []v1alpha1.Divergence {
	if _, seen := r.seen.count(); !seen {
		return nil // what was seen last may be old
	}
	created := r.created()
	var all []v1alpha1.Divergence
	for _, v := range r.seen.latest() {
		if !slices.Contains(created, v.key()) {
			continue
		}
		tell := func(path, expected, found string) {
			all = append(all, v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: v.key(), Path: path, Expected: expected, Found: found})
		}
		harm := func(path, of string, observed int64) {
			tell(path, fmt.Sprintf("observedGeneration%s becomes %d", of, v.GetGeneration()),
				fmt.Sprintf("observedGeneration%s is %d, and the generation %d", of, observed, v.GetGeneration()))
		}
		observed, told, _ := unstructured.NestedInt64(v.Object, "status", "observedGeneration")
		switch {
		case told && observed < v.GetGeneration():
			harm(HarmOldGeneration, "", observed)
		case observed > v.GetGeneration():
			harm(HarmNoGeneration, "", observed)
		}
		conditions, _, _ := unstructured.NestedSlice(v.Object, "status", "conditions")
		for _, entry := range conditions {
			condition, _ := entry.(map[string]any)
			if observed, _, _ := unstructured.NestedInt64(condition, "observedGeneration"); observed > v.GetGeneration() {
				harm(HarmNoGeneration, fmt.Sprintf(" of condition %v", condition["type"]), observed)
				break // the others are of the same origin
			}
		}
		if twice := typeTwice(conditions); twice != "" {
			tell(HarmTwoConditions, "a status has one condition of each type", fmt.Sprintf("it has two of the type %s, or more", twice))
		}
	}
	return withoutUsual(all, r.spec.Undisturbed, nil) // their names are given
}

// typeTwice returns a type that two of the conditions of a status have, or "".
func typeTwice(conditions []any) string {
	seen := map[string]bool{}
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		kind, _ := condition["type"].(string)
		if kind != "" && seen[kind] {
			return kind
		}
		seen[kind] = true
	}
	return ""
}
