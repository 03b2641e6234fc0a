package explore

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// equalPlans compare the outcome of operations that must change nothing, in the end,
// with that of the creation: the controller puts everything back, or makes it again.
func equalPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	create := recorded["create"]
	if create == nil {
		return nil
	}
	var all []*Plan
	for _, o := range operations {
		sort := o.sort()
		if recorded[o.Name] == nil || !slices.Contains([]string{"recreate", "drift", "delete-child", "restart", "failover"}, sort) {
			continue
		}
		if r := recorded[o.Name]; r.holdsDeleted() || r.isAboutFinished(create) {
			continue
		}
		all = append(all, recorded[o.Name].planAsCreated(create, "undone", "all", "all must be as after the creation"))
	}
	return all
}

// holdsDeleted tells whether a child that somebody deletes is still there at the end,
// because a finalizer holds it, such as a claim that a Pod uses. Nobody can take a
// deletion back.
func (r *Recording) holdsDeleted() bool {
	child := r.Steps[len(r.Steps)-1].DeleteChild
	objects, err := objectsOf(r)
	if child == nil || err != nil {
		return false
	}
	left, _ := objects[child.Resource+" "+child.Name].(map[string]any)
	_, ending, _ := unstructured.NestedFieldNoCopy(left, "metadata", "deletionTimestamp")
	return ending
}
