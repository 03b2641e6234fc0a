package explore

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
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
		if r := recorded[o.Name]; r.heldByOthers() || r.isAboutFinished(create) {
			continue
		}
		plan := recorded[o.Name].planAsCreated(create, "undone", "all", "all must be as after the creation")
		plan.Undisturbed.Harms = slices.DeleteFunc(plan.Undisturbed.Harms, func(harm v1alpha1.TrialMask) bool {
			return harm.Path == trial.HarmBlind && looksFirst(recorded, harm)
		})
		all = append(all, plan)
	}
	return all
}

// looksFirst tells whether the controller looks whether an object is there before it creates it: when
// its own object was created and edited, it did not try to create what was there. Only then it is
// harm if a new process does. If it does nothing after an edit, nobody knows.
func looksFirst(recorded map[string]*Recording, blind v1alpha1.TrialMask) bool {
	acts := false
	for _, r := range recorded {
		if sort := r.sort(); sort == "create" || sort == "edit" {
			acts = acts || sort == "edit" && len(r.Writes) > 0
			if slices.Contains(r.Undisturbed.Harms, blind) {
				return false
			}
		}
	}
	return acts
}

// holdsDeleted tells whether a child that somebody deletes is still there at the end,
// because a finalizer holds it, such as a claim that a Pod uses. Nobody can take a
// deletion back.
func (r *Recording) holdsDeleted() bool { return r.held() != nil }

// heldByOthers tells whether a child that somebody deletes is still there at the end, and not only
// because of finalizers of the controller: these it can take off, and then make the child again.
func (r *Recording) heldByOthers() bool {
	child := r.held()
	finalizers, _, _ := unstructured.NestedStringSlice(child, "metadata", "finalizers")
	return child != nil && (len(finalizers) == 0 || slices.ContainsFunc(finalizers, isOfKubernetes))
}

// held returns the child that somebody deletes, if it is still being deleted at the end, or nil.
func (r *Recording) held() map[string]any {
	child := r.Steps[len(r.Steps)-1].DeleteChild
	objects, err := objectsOf(r)
	if child == nil || err != nil {
		return nil
	}
	left, _ := objects[child.Resource+" "+child.Name].(map[string]any)
	if _, ending, _ := unstructured.NestedFieldNoCopy(left, "metadata", "deletionTimestamp"); !ending {
		return nil
	}
	return left
}

// isOfKubernetes tells whether Kubernetes itself adds a finalizer. On the bench, all others are
// the controller's.
func isOfKubernetes(finalizer string) bool {
	group, _, _ := strings.Cut(finalizer, "/")
	return group == "kubernetes.io" || strings.HasSuffix(group, ".kubernetes.io") ||
		slices.Contains([]string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents}, finalizer)
}
