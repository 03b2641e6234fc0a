package verdict

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// loops returns what shows a loop that may have led to the other symptoms of a failed
// step. Too many requests come from such writes since the scenario last did something. A
// write that comes too late may have waited for any of them.
func (c *Case) loops(failure chainsaw.Failure, known []v1alpha1.Symptom) []v1alpha1.Symptom {
	switch {
	case failure.Of.Kind == "Traffic":
		return c.restless(c.occasion(), known)
	case len(known) > 0 && all(known, func(s v1alpha1.Symptom) bool { return s.Late }):
		return c.restless(0, known)
	}
	return nil
}

// restless returns the objects that the controller wrote several times before a step
// failed, from a number on, though nothing but times in them changed. If such writes wake
// it, its other requests come from them too.
func (c *Case) restless(from int64, known []v1alpha1.Symptom) []v1alpha1.Symptom {
	var found []v1alpha1.Symptom
	count, failed := map[string]int{}, c.failedAt()
	for _, r := range c.Account.Requests {
		resource := r.GroupResource().String()
		if !r.OnlyTimes || !done(r) || r.Seq < from || failed != 0 && r.Seq > failed || !history.Matches(v1alpha1.RequestMatch{}, r) {
			continue
		}
		count[resource]++
		listed := func(s v1alpha1.Symptom) bool { return s.State == v1alpha1.Restless && s.Resource == resource }
		if count[resource] == mostHarmless+1 && !slices.ContainsFunc(known, listed) {
			found = append(found, c.symptom(wrong{resource: resource, name: r.Name, what: echoed}))
		}
	}
	return found
}

// mostHarmless is how many writes may change nothing but times before other requests are
// put down to them.
const mostHarmless = 2

// late completes a symptom of a missing write by the write, if the controller made it after
// the step had failed. It then took too long, and was not forgotten.
func (c *Case) late(s *v1alpha1.Symptom, w wrong) {
	failed := c.failedAt()
	if failed == 0 || w.isSomeEvent() || !gone(s.State) && (s.State != v1alpha1.NotWritten || w.path == "") {
		return
	}
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if r.Seq < failed || !done(*r) || !r.IsOf(w.resource) || w.name != "" && r.Name != w.name {
			continue
		}
		if gone(s.State) && r.Verb == history.VerbCreate || !gone(s.State) && r.Verb == history.VerbUpdate && changes(r, w.path) {
			s.Late = true
			s.Seen += fmt.Sprintf("; it wrote it after the step had failed (#%d)", r.Seq)
			return
		}
	}
}
