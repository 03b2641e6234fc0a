package explore

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// hung is how long a write is left without an answer, in milliseconds: longer than the limits
// that clients usually have for a request. Then its connection is cut, as a network does at
// last, so a client without a limit is not held for ever.
const hung = 12_000

// hangPlans leave a write without an answer. They take long, so each kind of write has one of
// a sort, in the first of the operations that has it.
func hangPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	var all []*Plan
	seen := map[string]bool{}
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || !slices.Contains([]string{"create", "edit", "delete"}, o.sort()) {
			continue
		}
		for _, w := range newKinds(r.Writes, seen) {
			for _, way := range []struct {
				sort, how  string
				carriedOut bool
			}{
				{"hung", "there is no answer for 12 s, and then its connection is cut; it is not carried out", false},
				{"hung-done", "it is carried out, there is no answer for 12 s, and then its connection is cut", true},
			} {
				plan := r.plan(way.sort, w.kind(), "at "+w.InWords(), way.how)
				plan.Disturb = &v1alpha1.TrialDisturbance{At: w.at(), Fault: &v1alpha1.FaultAction{Hang: &v1alpha1.Hang{Ms: hung, CarriedOut: way.carriedOut}}}
				all = append(all, plan)
			}
		}
	}
	return all
}

// hear adds what a controller did while a write was left without an answer. The lock is held.
func (e *Exploration) hear(one *v1alpha1.Unanswered) {
	if one == nil {
		return
	}
	if e.unanswered == nil {
		e.unanswered = &v1alpha1.ExploredUnanswered{}
	}
	all, waited := e.unanswered, time.Duration(one.WaitedMs)*time.Millisecond
	all.Plans++
	if all.Longest.Duration < waited {
		all.Longest = metav1.Duration{Duration: waited.Round(time.Second / 10)}
	}
	switch {
	case one.GaveUp:
		all.GaveUp++
	case one.Requests == 0:
		all.Silent++
	}
}
