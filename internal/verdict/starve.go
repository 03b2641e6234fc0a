package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// loop are the writes of a loop that the controller keeps up by its own writes, in order.
// Nothing but times changes in them, and they were all that it changed.
type loop []history.Request

// starving returns the loop that may be why a step waited without success. From the last
// time that the controller changed anything else, and the scenario did something, until the
// step failed, the controller repeated only this loop. It never came to the object that the
// step waited for. With one worker, such a loop leaves no time for other objects. A step
// that prepares may wait for any object. starving returns nil if there is no such loop.
func (c *Case) starving(failure chainsaw.Failure) loop {
	wrongs, role := c.wrongs(failure), catalogue.RoleOf(failure.Step)
	if len(wrongs) == 0 && role != catalogue.Given && role != catalogue.When {
		return nil
	}
	from, found := c.loopSince()
	if len(found) <= mostHarmless || !c.goesOn(found) {
		return nil
	}
	for _, w := range wrongs {
		waits := w.what == missing || w.what == present || w.what == differs && w.at == "" || w.what == foreign
		if !waits || w.name == "" || c.comesTo(w.name, from) {
			return nil
		}
	}
	return found
}

// loopSince returns the last writes of primary objects before the step failed in which
// nothing but times changed, and the number after which there were no others that changed
// anything.
func (c *Case) loopSince() (from int64, found loop) {
	from = c.occasion()
	failed := c.failedAt()
	for _, r := range c.Account.Requests {
		switch {
		case !done(r) || r.Seq < from || r.Seq > failed || !history.Matches(v1alpha1.RequestMatch{}, r):
		case r.OnlyTimes && c.role(r.GroupResource().String()) == v1alpha1.RolePrimary:
			found = append(found, r)
		default:
			from, found = r.Seq, nil
		}
	}
	return from, found
}

// goesOn says whether a loop went on until the step failed: its next round was not due much
// earlier.
func (c *Case) goesOn(l loop) bool {
	failed, longest := c.failure(), time.Duration(0)
	for n := 1; n < len(l); n++ {
		longest = max(longest, l[n].Time.Sub(l[n-1].Time))
	}
	return failed != nil && failed.Time.Sub(l[len(l)-1].Time) <= 2*longest
}

// comesTo says whether the controller asked for anything with a name, or with a name that
// contains it, between a number and the failure of the step.
func (c *Case) comesTo(name string, from int64) bool {
	failed := c.failedAt()
	return slices.ContainsFunc(c.Account.Requests, func(r history.Request) bool {
		return r.Seq > from && r.Seq < failed && strings.Contains(r.Name, name)
	})
}

// starve marks symptoms as those of an object that the controller never came to, and adds
// the objects of the loop.
func (l loop) starve(found []v1alpha1.Symptom) []v1alpha1.Symptom {
	for n := range found {
		found[n].Starved = true
	}
	var names, proof []string
	for _, r := range l {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
		proof = append(proof, fmt.Sprintf("#%d", r.Seq))
	}
	resource := l[0].GroupResource().String()
	return append(found, v1alpha1.Symptom{
		Resource: resource, Role: v1alpha1.RolePrimary, State: v1alpha1.Restless,
		Seen: fmt.Sprintf("until then the controller wrote nothing but %s %s, %d times, though nothing in it changed but times (%s)",
			resource, strings.Join(names, ", "), len(l), sanitize.CutList(proof, mostProof, ", ")),
	})
}

// mostProof is how many requests of a loop are told.
const mostProof = 5
