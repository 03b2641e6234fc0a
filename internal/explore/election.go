package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// leasePlans take the Lease from the leader during a write. They take as long as a Lease
// lasts, so each kind of write has one of a sort in an operation, and only operations on
// the object itself have them.
func (r *Recording) leasePlans() []*Plan {
	if !slices.Contains([]string{"create", "edit", "delete"}, r.sort()) {
		return nil
	}
	var all []*Plan
	for _, w := range newKinds(r.Writes, map[string]bool{}) {
		for _, way := range []struct {
			sort, how string
			lease     v1alpha1.TrialLease
		}{
			{"lease-lost", "the leader cannot renew its Lease, and another replica takes over", v1alpha1.LeaseLost},
			{"lease-regained", "the leader loses its Lease for a second, and takes it again", v1alpha1.LeaseRegained},
		} {
			plan := r.plan(way.sort, w.kind(), "while it waits for the answer to "+w.InWords(), way.how)
			plan.Operation.Elects = true
			plan.Disturb = &v1alpha1.TrialDisturbance{At: w.at(), Lease: way.lease}
			all = append(all, plan)
		}
	}
	return all
}

// newKinds returns the first of each kind of write that was not seen yet, and notes it as seen.
func newKinds(writes []Write, seen map[string]bool) []Write {
	var first []Write
	for _, w := range writes {
		kind := w.Verb + " " + w.kind()
		if !seen[kind] {
			seen[kind] = true
			first = append(first, w)
		}
	}
	return first
}
