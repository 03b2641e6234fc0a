package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// behind is by how much all watches are late together, in milliseconds: more than a
// second, after which some controllers try again for the first time, and less than a
// subject must be quiet to be at rest.
const behind = 1100

// watchPlans disturb the watches of a recording.
func (r *Recording) watchPlans() []*Plan {
	if len(r.Writes) == 0 {
		return nil // nothing came of the operation
	}
	var all []*Plan
	if len(r.eventful()) > 1 {
		plan := r.plan("watch-late-all", "all", "on all watches", "their events come 1.1 s late")
		plan.Disturb = &v1alpha1.TrialDisturbance{
			At: v1alpha1.TrialPoint{Verb: history.VerbWatch}, Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Lag: &v1alpha1.WatchLag{Ms: behind}}},
		}
		all = append(all, plan)
	}
	for _, resource := range r.eventful() {
		for _, way := range []struct {
			sort, how string
			watch     v1alpha1.WatchAction
		}{
			{"watch-frozen", "they stand still until all is over, and expire then", v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{Ends: v1alpha1.FreezeEndsExpired}}},
			{"watch-late", "their events come 1 s late", v1alpha1.WatchAction{Lag: &v1alpha1.WatchLag{Ms: 1000}}},
		} {
			plan := r.plan(way.sort, resource, "on the watches of "+resource, way.how)
			plan.Disturb = &v1alpha1.TrialDisturbance{
				At: v1alpha1.TrialPoint{Verb: history.VerbWatch, Resource: resource}, Fault: &v1alpha1.FaultAction{Watch: way.watch.DeepCopy()},
			}
			all = append(all, plan)
		}
	}
	return all
}

// eventful returns the watches on which events come: those of the kinds that the
// controller writes in the operation, and of the kinds that the last step is about.
func (r *Recording) eventful() []string {
	return slices.DeleteFunc(slices.Clone(r.Watches), func(resource string) bool {
		return resource != r.About && !slices.ContainsFunc(r.Writes, func(w Write) bool { return w.Resource == resource })
	})
}

// noteElsewhere notes which plans disturb a watch in an operation in which the controller makes nothing
// of that kind, although it does so in another one. A controller whose cache is behind makes an object
// twice: there such plans tell most.
func noteElsewhere(recorded map[string]*Recording, plans []*Plan) {
	made := map[string]bool{} // by operation and kind
	for _, r := range recorded {
		for _, w := range r.Writes {
			if w.Verb == history.VerbCreate {
				made[r.Name+" "+w.Resource], made[r.Name+" all"], made[w.Resource], made["all"] = true, true, true, true
			}
		}
	}
	for _, p := range plans {
		if p.Disturb != nil && p.Disturb.At.Verb == history.VerbWatch {
			p.Elsewhere = made[p.Kind] && !made[p.Operation.Name+" "+p.Kind]
		}
	}
}
