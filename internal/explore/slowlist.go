package explore

import (
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// slowListPlans restart the controller while the list of one resource takes long, for each
// resource that it watches: then one of its caches is filled later than the others. Nothing has
// changed, so a controller that waits for all of them writes nothing.
func slowListPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || o.sort() != "restart" {
			continue
		}
		for _, resource := range r.Watches {
			plan := r.plan("slow-list", resource, "at the first list of "+resource, "its answer takes 3 s, when all else is there")
			plan.Disturb = &v1alpha1.TrialDisturbance{
				At:    v1alpha1.TrialPoint{Verb: history.VerbList, Resource: resource, Occurrence: 1},
				Fault: &v1alpha1.FaultAction{DelayMs: ptr.To[int64](slow)},
			}
			all = append(all, plan)
		}
	}
	return all
}
