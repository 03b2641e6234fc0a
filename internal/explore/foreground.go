package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// inForeground is the sort of plans in which an object is deleted after its children.
const inForeground = "in-foreground"

// foregroundPlans delete the object of the controller, or a child, in the foreground (kubectl delete
// --cascade=foreground). It is there for a while longer, as the garbage collector holds it, and its
// children go before it. In the end all must be as if it had been deleted in the background.
func foregroundPlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget) []*Plan {
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil {
			continue
		}
		last := len(o.Steps) - 1
		target, kind := o.Steps[last].DeleteChild, o.About
		if o.Name == "delete" {
			target, kind = &own, "all"
		}
		if target == nil || r.holdsDeleted() {
			continue
		}
		foreground := *r
		foreground.Steps = append(slices.Clone(o.Steps[:last]), v1alpha1.TrialOperation{Foreground: target})
		all = append(all, foreground.plan(inForeground, kind, "instead of it", "it is deleted in the foreground, after its children; all must be as otherwise"))
	}
	return all
}
