package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// firing is what happened to one Fault or Disruption.
type firing struct {
	object   string
	optional bool
	// owed is true if the failed step waited for it to fire: the controller had to send the
	// request that it waits for. That it did not is the failure.
	owed bool
	// fired is true if it hit anything. done is true if it hit as often as it must.
	fired, done bool
	// has says what it must do.
	has string
	// of are the requests that a Fault waits for.
	of v1alpha1.RequestMatch
	// failed says why it could not be carried out. It is empty if it could.
	failed string
}

// firingList has Faults and Disruptions in the order in which they were made. One that is
// made again under the same name is counted again.
type firingList []firing

// firings returns the Faults and Disruptions of a scenario, including the deleted ones.
func firings(events []history.Event) firingList {
	var all firingList
	last := func(object string) *firing {
		for i := range slices.Backward(all) {
			if all[i].object == object {
				return &all[i]
			}
		}
		return &firing{}
	}
	for _, event := range events {
		switch event.Reason {
		case history.FaultArmed:
			all = append(all, firing{
				object: event.Object, optional: event.Optional, has: event.Message,
				of: v1alpha1.RequestMatch{Verbs: event.Verbs, Resources: event.Resources},
			})
		case history.FaultFired:
			last(event.Object).fired = true
		case history.FaultDone:
			last(event.Object).done = true
		case history.FaultInvalid, history.DisruptionFailed:
			all = append(all, firing{object: event.Object, optional: event.Optional, failed: event.Message})
		}
	}
	return all
}

// unfired returns texts for those that had to fire and did not, unless that is the failure
// itself. They are part of a reason to come to no conclusion.
func (l firingList) unfired() []string {
	var found []string
	for _, f := range l {
		switch {
		case f.optional:
		case f.failed != "":
			found = append(found, f.object+" could not be carried out: "+f.failed)
		case !f.fired && !f.owed:
			found = append(found, f.object+" never fired")
		}
	}
	return found
}

// unmet returns the requests that Faults waited for in vain, although they had to fire. It
// leaves out a Fault that the failed step waited for: that it did not fire is the failure.
func (l firingList) unmet() []v1alpha1.RequestMatch {
	var found []v1alpha1.RequestMatch
	for _, f := range l {
		if !f.optional && !f.owed && f.failed == "" && !f.fired {
			found = append(found, f.of)
		}
	}
	return found
}

// polled says that the controller polls, if that is why Faults did not fire: all that did not
// are about watches, and the controller opened none of these, and read such objects again and
// again. Otherwise it returns "".
func (l firingList) polled(requests []history.Request) string {
	unmet := l.unmet()
	if len(unmet) == 0 || len(unmet) < len(l.unfired()) {
		return ""
	}
	var polled []string
	for _, match := range unmet {
		if !slices.Equal(match.Verbs, []string{history.VerbWatch}) {
			return ""
		}
		reads := map[string]int{}
		for _, request := range requests {
			switch resource := request.GroupResource().String(); {
			case !slices.Contains(match.Resources, resource):
			case request.Verb == history.VerbWatch:
				return ""
			case request.Verb == history.VerbGet || request.Verb == history.VerbList:
				reads[resource]++
			}
		}
		for resource, count := range reads {
			if count >= leastPolled && !slices.Contains(polled, resource) {
				polled = append(polled, resource)
			}
		}
		if len(polled) == 0 {
			return ""
		}
	}
	slices.Sort(polled)
	return fmt.Sprintf("the controller polls: it reads %s again and again, and opens no watch of them, which the scenario is about", strings.Join(polled, " and "))
}

// leastPolled is how many reads of a resource, without a watch of it, are polling.
const leastPolled = 3

// faultResource is what an Observation of Faults looks at.
const faultResource = "faults.reconform.dev"

// noteOwed notes which Fault the failed step waited for, if it waited for one.
func (l firingList) noteOwed(of chainsaw.Measured) {
	if of.Resource != faultResource {
		return
	}
	for i := range slices.Backward(l) {
		if l[i].object == "Fault/"+of.Name {
			l[i].owed = true
			return
		}
	}
}

// unfinished returns texts for those that fired, but not as often as they had to.
func (l firingList) unfinished() []string {
	var found []string
	for _, f := range l {
		if !f.optional && f.fired && !f.done {
			found = append(found, fmt.Sprintf("%s fired, but %s", f.object, f.has))
		}
	}
	return found
}

// exercised says how many of the Faults fired, and which ones did not have to fire and did
// not.
func (l firingList) exercised() (text string, idle []string) {
	fired, faults := 0, 0
	for _, f := range l {
		switch {
		case f.failed != "":
			continue
		case f.fired:
			fired++
		case f.optional:
			idle = append(idle, f.object)
		}
		faults++
	}
	if faults == 0 {
		return "", nil
	}
	return fmt.Sprintf("%d of %d", fired, faults), idle
}

// onlyOptional says whether there are Faults, none of them had to fire, and none did.
func (l firingList) onlyOptional() bool {
	return len(l) > 0 && !slices.ContainsFunc(l, func(f firing) bool { return f.fired || !f.optional })
}
