package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// closed is how long a watch lives until it is closed, in milliseconds. Clients take a watch
// for an error that lived for less than a second.
const closed = 1500

// closedPlans close the watches of a resource again and again, without an error, as the API
// server does with every watch after some minutes. A plan begins one step before its operation,
// so that a watch which is not opened again is gone by then. Each resource has one, in the
// first operation that is about it and has a step before.
func closedPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	var all []*Plan
	seen := map[string]bool{}
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || len(r.Steps) < 2 || len(r.Writes) == 0 || seen[o.About] || !slices.Contains(r.Watches, o.About) {
			continue
		}
		seen[o.About] = true
		plan := r.plan("watch-closed", o.About, "on the watches of "+o.About, "they are closed after 1.5 s each, before it, too")
		plan.Disturb = &v1alpha1.TrialDisturbance{
			From:  int32(len(r.Steps) - 1),
			At:    v1alpha1.TrialPoint{Verb: history.VerbWatch, Resource: o.About},
			Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Close: &v1alpha1.WatchClose{AfterMs: closed}}},
		}
		all = append(all, plan)
	}
	return all
}
