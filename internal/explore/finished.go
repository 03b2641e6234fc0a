package explore

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/record/history"
)

// isAboutFinished tells whether the child that somebody deletes or changes in an operation had done
// its work after the creation, such as a Job that has completed. A controller need not do that work
// again, and what the object says of it has no effect any more.
func (r *Recording) isAboutFinished(create *Recording) bool {
	last := r.Steps[len(r.Steps)-1]
	child := last.DeleteChild
	if last.Drift != nil {
		child = &last.Drift.TrialTarget
	}
	objects, err := objectsOf(create)
	if child == nil || err != nil {
		return false
	}
	object, _ := objects[child.Resource+" "+child.Name].(map[string]any)
	return hasFinished(object)
}

// hasFinished tells whether the status of an object says that it has run to its end: by the
// conditions of Jobs, and of the objects of other controllers that run once, or by the phase of
// Pods and of such objects.
func hasFinished(object map[string]any) bool {
	phase, _, _ := unstructured.NestedString(object, "status", "phase")
	if slices.Contains([]string{"Succeeded", "Failed", "Completed", "Complete"}, phase) {
		return true
	}
	return history.JobEnded(object) || history.HasTrueCondition(object, "Completed", "Succeeded")
}
