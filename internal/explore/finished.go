package explore

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// finishedAgain is the sort of plans in which the controller is restarted after somebody has deleted a
// child that had done its work.
const finishedAgain = "finished-again"

// finishedPlans restart the controller after somebody, such as the TTL controller of Jobs, has deleted
// a child that had done its work, and that the controller has not made again. A new process must not
// make it either: that it was done must not be known to one process only.
func finishedPlans(recorded map[string]*Recording, operations []Operation) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil {
		return nil, nil
	}
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || o.sort() != "delete-child" || !r.isAboutFinished(create) {
			continue
		}
		gone := r.Steps[len(r.Steps)-1].DeleteChild
		left, err := objectsOf(r)
		if err != nil {
			return nil, err
		}
		if _, again := left[gone.Resource+" "+gone.Name]; again {
			continue
		}
		restarted := *r
		restarted.Steps = append(slices.Clone(r.Steps), v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
		plan := restarted.plan(finishedAgain, gone.Resource, "afterwards", "the controller is restarted; "+gone.Resource+" "+gone.Name+" must not be made again")
		plan.Undisturbed.Writes = 0 // a new process may write what it finds
		if anyRestart := recorded["restart"]; anyRestart != nil {
			plan.Undisturbed.Harms = append(plan.Undisturbed.Harms, anyRestart.Undisturbed.Harms...)
		}
		all = append(all, plan)
	}
	return all, nil
}

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
