package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// restarted returns the operation with a restart after it.
func (o Operation) restarted() Operation {
	return o.after("restart", v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
}

// restartIsNeutral says whether the outcome after a restart is that of the creation.
func restartIsNeutral(recorded map[string]*Recording) bool {
	create, restart := recorded["create"], recorded["restart"]
	if create == nil || restart == nil {
		return false
	}
	var one, other map[string]any
	if errors.Join(json.Unmarshal([]byte(create.Undisturbed.Objects), &one), json.Unmarshal([]byte(restart.Undisturbed.Objects), &other)) != nil {
		return false
	}
	for _, one := range create.Undisturbed.Masks {
		if slices.ContainsFunc(restart.Undisturbed.Masks, func(m v1alpha1.TrialMask) bool {
			return m.Object == one.Object && m.Path == one.Path && m.Count != one.Count
		}) {
			return false
		}
	}
	known := uncounted(slices.Concat(create.Undisturbed.Masks, restart.Undisturbed.Masks))
	return !slices.ContainsFunc(masks(one, other), func(m v1alpha1.TrialMask) bool { return !slices.Contains(known, m) })
}

// restartedRecording returns an operation with a restart after it as it goes undisturbed: as
// it was recorded or, if a restart changes nothing, with the outcome of the operation. It
// returns nil if that is not known.
func restartedRecording(recorded map[string]*Recording, o Operation) *Recording {
	if both := recorded[o.restarted().Name]; both != nil {
		return both
	}
	r := recorded[o.Name]
	if r == nil || !restartIsNeutral(recorded) {
		return nil
	}
	restart := recorded["restart"].Undisturbed
	both := *r
	both.Operation = o.restarted()
	both.Undisturbed = *r.Undisturbed.DeepCopy()
	both.Undisturbed.Masks = maskedToo(both.Undisturbed.Masks, restart.Masks)
	both.Undisturbed.Deletions = append(both.Undisturbed.Deletions, restart.Deletions...)
	both.Undisturbed.Harms = append(both.Undisturbed.Harms, restart.Harms...)
	return &both
}

// stalePlans are restarts and take-overs with an old state: what an operation did is not
// seen by the process that comes after. The API server keeps each resource in a cache of its
// own, so the object alone may be old, too. If an object was created again, the old state
// shows the first one: as it was before its deletion, or while it is being deleted.
func stalePlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget) []*Plan {
	var all []*Plan
	for _, o := range operations {
		if restarted := restartedRecording(recorded, o); restarted != nil {
			switch o.sort() {
			case "create", "delete":
				all = append(all, restarted.staleRestart("all", "the controller is started again, and reads the state from before"))
			case "edit":
				all = append(all, restarted.staleRestart("all", "the controller is started again, and reads the state from before"),
					restarted.staleRestart(o.About, "the controller is started again, and reads "+o.About+" from before"))
			case "recreate":
				all = append(all, restarted.staleEnd(o.About, own), restarted.staleBefore(o.About, own))
			}
		}
		led := recorded[o.Name+" then failover"]
		if led == nil || recorded[o.Name] == nil {
			continue
		}
		for _, resource := range recorded[o.Name].eventful() {
			plan := led.plan("stale-standby", resource, "after "+o.Name, fmt.Sprintf("a standby takes over that has seen no event of %s since", resource))
			plan.Disturb = &v1alpha1.TrialDisturbance{
				From:  int32(len(o.Steps)),
				At:    v1alpha1.TrialPoint{Target: v1alpha1.TargetStandby, Verb: history.VerbWatch, Resource: resource},
				Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{Ends: v1alpha1.FreezeEndsExpired}}},
			}
			all = append(all, plan)
		}
	}
	return all
}

// staleRestart returns a plan in which the controller, when it restarts, reads one
// resource, or all, as they were before the previous operation.
func (r *Recording) staleRestart(kind, how string) *Plan {
	plan := r.plan("stale-restart", kind, "after "+stepName(r.Steps[len(r.Steps)-2]), how)
	plan.Disturb = &v1alpha1.TrialDisturbance{
		From: int32(len(r.Steps) - 1), Fault: &v1alpha1.FaultAction{Stale: &v1alpha1.Stale{ListsOnly: true}},
	}
	if kind != "all" {
		plan.Disturb.At.Resource = kind
	}
	return plan
}

// staleEnd returns a plan in which the controller reads an old state: that of the
// earlier object of this name while it was being deleted. A finalizer of somebody else
// holds the earlier object, so that there is such a time whatever the controller does.
func (r *Recording) staleEnd(resource string, own v1alpha1.TrialTarget) *Plan {
	held := *r
	at := len(r.Steps) - 2 // it is created again, and then comes the restart
	held.Steps = slices.Insert(slices.Clone(r.Steps), at, v1alpha1.TrialOperation{Mark: &own})
	plan := held.staleRestart(resource, "the controller is started again, and reads "+resource+" as of when the first one was being deleted")
	plan.Sort = "stale-end"
	return plan
}

// staleBefore returns a plan in which the controller reads the earlier object of this name as
// it was before its deletion, beside the children of the present one. The deletion is a step
// of its own: what is shown is the state before it.
func (r *Recording) staleBefore(resource string, own v1alpha1.TrialTarget) *Plan {
	apart := *r
	at := len(r.Steps) - 2 // it is created again, and then comes the restart
	apart.Steps = slices.Insert(slices.Clone(r.Steps), at, v1alpha1.TrialOperation{Delete: &own})
	plan := apart.staleRestart(resource, "the controller is started again, and reads "+resource+" as of before the first one was deleted")
	plan.Disturb.From--
	return plan
}
