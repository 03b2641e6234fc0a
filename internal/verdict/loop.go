package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict/seen"
)

// loops returns what shows a loop that may have led to the other symptoms of a failed
// step. If the step counted requests, these are writes since the scenario last did
// something. If a write came too late, they are all writes: it may have waited for any.
func (c *Case) loops(failure chainsaw.Failure, known []v1alpha1.Symptom) []v1alpha1.Symptom {
	switch {
	case failure.Of.Kind == "Traffic":
		return append(c.restless(c.occasion(), known), c.neverQuiet(failure)...)
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
		if !r.OnlyTimes || !done(r) || r.Seq < from || failed != 0 && r.Seq > failed || !c.isJudged(r) {
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

// neverQuiet returns the objects that the controller wrote again and again before a step
// failed because it did not come to rest: first the one that it wrote most often. One loop
// may write several, a child and the status of its owner, and which of them comes first
// differs from step to step. Writes in which only times changed do not count: they are a
// loop of their own.
func (c *Case) neverQuiet(failure chainsaw.Failure) []v1alpha1.Symptom {
	failed := c.failure()
	if failed == nil {
		return nil
	}
	if !strings.Contains(failure.Message, didNotRest) {
		if !strings.Contains(failure.Message, " effective writes") {
			return nil
		}
		return c.byTheClock(failed.Time, c.eachLook(failed.Time, leastOfLook))
	}
	type object struct{ resource, name string }
	writes := map[object][]history.Request{}
	var looping []object // in the order in which each one became a loop
	for _, r := range c.Account.Requests {
		before := failed.Time.Sub(r.Time)
		if !done(r) || r.OnlyTimes || before < 0 || before > lastWrites || !c.isJudged(r) {
			continue
		}
		o := object{r.GroupResource().String(), r.Name}
		if writes[o] = append(writes[o], r); len(writes[o]) == leastOfLoop {
			looping = append(looping, o)
		}
	}
	if len(looping) == 0 {
		return c.byTheClock(failed.Time, c.eachLook(failed.Time, 0))
	}
	slices.SortStableFunc(looping, func(a, b object) int { return len(writes[b]) - len(writes[a]) })
	var found []v1alpha1.Symptom
	listed := map[string]bool{}
	for _, o := range looping {
		if listed[o.resource] {
			continue // one object shows the loop of a resource
		}
		listed[o.resource] = true
		found = append(found, v1alpha1.Symptom{
			Resource: o.resource, Role: c.role(o.resource), State: v1alpha1.NeverQuiet,
			Seen: fmt.Sprintf("the controller did not come to rest: it wrote %s %s %d times in %s%s",
				o.resource, o.name, len(writes[o]), lastWrites, changedLast(writes[o])),
		})
	}
	return found
}

// eachLook returns the objects that the controller changed twice in the same way before a
// time, with at least the given pause between the two. It does so at each look if somebody
// else changes them back. Then it is at rest only between two looks.
func (c *Case) eachLook(failed time.Time, pause time.Duration) []v1alpha1.Symptom {
	type change struct{ resource, subresource, name, values string }
	before := map[change]history.Request{}
	var found []v1alpha1.Symptom
	for _, r := range c.Account.Requests {
		ago := failed.Sub(r.Time)
		if r.Verb != history.VerbUpdate || !done(r) || r.OnlyTimes || len(r.Values) == 0 || ago < 0 || ago > lastLooks || !c.isJudged(r) {
			continue
		}
		one := change{r.GroupResource().String(), r.Subresource, r.Name, fmt.Sprint(r.Values)}
		known := func(s v1alpha1.Symptom) bool { return s.Resource == one.resource }
		if last, again := before[one]; again && r.Time.Sub(last.Time) >= pause && !slices.ContainsFunc(found, known) {
			found = append(found, v1alpha1.Symptom{
				Resource: one.resource, Role: c.role(one.resource), State: v1alpha1.NeverQuiet,
				Seen: fmt.Sprintf("the controller did not come to rest: %s after it had changed %s %s, it did the same again%s",
					r.Time.Sub(last.Time).Round(time.Second/10), one.resource, one.name, changedLast([]history.Request{r})),
			})
		}
		before[one] = r
	}
	return found
}

// byTheClock adds the objects of which the controller changed the same fields again and again
// before a time, with pauses that are all alike: a heartbeat. Then it is not at rest for longer
// than such a pause. Values of a heartbeat differ each time.
func (c *Case) byTheClock(failed time.Time, known []v1alpha1.Symptom) []v1alpha1.Symptom {
	beats := map[seen.Beat][]history.Request{}
	for _, r := range c.Account.Requests {
		ago := failed.Sub(r.Time)
		if r.Verb != history.VerbUpdate || !done(r) || len(r.Changed) == 0 || ago < 0 || ago > lastLooks || !c.isJudged(r) {
			continue
		}
		one := seen.BeatOf(r)
		beats[one] = append(beats[one], r)
		listed := func(s v1alpha1.Symptom) bool { return s.Resource == one.Resource && s.State == v1alpha1.NeverQuiet }
		every, regular := seen.Pulse(beats[one])
		if !regular || slices.ContainsFunc(known, listed) {
			continue
		}
		known = append(known, v1alpha1.Symptom{
			Resource: one.Resource, Role: c.role(one.Resource), State: v1alpha1.NeverQuiet,
			Seen: fmt.Sprintf("the controller did not come to rest: it changed %s of %s %s every %s%s. If it is meant to, declare it (claims.exempt, with fields)",
				one.Fields, one.Resource, one.Name, every, changedLast([]history.Request{r})),
		})
	}
	return known
}

const (
	// didNotRest is what a Traffic says of a subject that was to come to rest first.
	didNotRest = "expected the subject to fall quiet"
	// lastWrites is the time before a failure in which writes are counted.
	lastWrites = 20 * time.Second
	// lastLooks is the time before a failure in which the changes of two looks are compared. A
	// step waits out two, if they are up to 35 s apart.
	lastLooks = 80 * time.Second
	// leastOfLook is the pause between two looks, if a step counted writes. Shorter ones may come
	// from what the step did.
	leastOfLook = 10 * time.Second
	// leastOfLoop is how many writes of one object in that time are a loop. A subject is
	// quiet after two seconds without one.
	leastOfLoop = 10
)

// mostHarmless is how many writes may change nothing but times before other requests are
// put down to them.
const mostHarmless = 2

// isJudged says whether a request belongs to the work of the controller, and is not exempt.
func (c *Case) isJudged(r history.Request) bool {
	return history.Matches(v1alpha1.RequestMatch{}, r) && !history.Exempts(c.Contract.Exempt, r)
}

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
