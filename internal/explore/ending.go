package explore

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
)

// endingChild is the sort of plans in which somebody deletes a child of an object that is being
// deleted itself.
const endingChild = "ending-child"

// heldDeletion returns the deletion while a finalizer of somebody else holds the object.
func (o Operation) heldDeletion() Operation {
	last := o.Steps[len(o.Steps)-1].Delete
	own := child{last.Resource, last.Name}
	held := o.after(own.marked(), own.mark())
	at := len(held.Steps) - 1
	held.Steps[at-1], held.Steps[at] = held.Steps[at], held.Steps[at-1]
	return held
}

// endingPlans delete each child that is left of an object which is being deleted. A finalizer of
// somebody else holds the object, and the controller has let it go. The controller must not make
// the child again. If the object is deleted in the foreground (kubectl delete --cascade=foreground),
// the garbage collector deletes the children before it: what is made again holds it for ever, or is
// made and deleted in turn.
func endingPlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget) ([]*Plan, error) {
	at := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == "delete" })
	if at < 0 {
		return nil, nil
	}
	held := recorded[operations[at].heldDeletion().Name]
	if held == nil {
		return nil, nil
	}
	left, err := objectsOf(held)
	if err != nil {
		return nil, err
	}
	object, _ := left[own.Resource+" "+own.Name].(map[string]any)
	finalizers, _, err := unstructured.NestedStringSlice(object, "metadata", "finalizers")
	if err != nil || !slices.Equal(finalizers, []string{trial.Marked}) {
		return nil, err // the controller has something to do yet, and may need the child for it
	}
	var all []*Plan
	for _, key := range slices.Sorted(maps.Keys(left)) {
		resource, name, _ := strings.Cut(key, " ")
		if resource == own.Resource || !isOwnedBy(left[key], object) || isHeldAnyway(recorded, key) {
			continue
		}
		target := v1alpha1.TrialTarget{Resource: resource, Name: name}
		ending := *held
		ending.Steps = append(slices.Clone(held.Steps), v1alpha1.TrialOperation{DeleteChild: &target})
		plan := ending.plan(endingChild, resource, "afterwards", fmt.Sprintf("%s is deleted, and must not be made again", key))
		u := &plan.Undisturbed
		u.Objects, u.Masks, u.Writes = "{}", nil, 0
		for _, other := range slices.Sorted(maps.Keys(left)) {
			of, _, _ := strings.Cut(other, " ")
			mask := v1alpha1.TrialMask{}
			if mask.Object = anyEnding(other); of != resource {
				mask.Object = of + " *"
			} else if hides, err := path.Match(mask.Object, key); hides || err != nil {
				mask.Object = other // both names only look as if they were made up
			}
			if other != key && !slices.Contains(u.Masks, mask) {
				u.Masks = append(u.Masks, mask)
			}
		}
		all = append(all, plan)
	}
	return all, nil
}

// isOwnedBy says whether an object of an outcome belongs to another one. What belongs to a child is
// made by others, such as the ReplicaSets of a Deployment.
func isOwnedBy(content any, owner map[string]any) bool {
	name, _, _ := unstructured.NestedString(owner, "metadata", "name")
	fields, _ := content.(map[string]any)
	references, _, _ := unstructured.NestedSlice(fields, "metadata", "ownerReferences")
	return slices.ContainsFunc(references, func(entry any) bool {
		reference, _ := entry.(map[string]any)
		return reference["kind"] == owner["kind"] && reference["name"] == name
	})
}

// isHeldAnyway says whether a child stays although somebody deletes it, because a finalizer holds
// it, such as that of a volume claim that a Pod uses.
func isHeldAnyway(recorded map[string]*Recording, key string) bool {
	if strings.HasPrefix(key, "persistentvolumeclaims ") {
		return true
	}
	for _, r := range recorded {
		if gone := r.Steps[len(r.Steps)-1].DeleteChild; gone != nil && gone.Resource+" "+gone.Name == key && r.holdsDeleted() {
			return true
		}
	}
	return false
}
