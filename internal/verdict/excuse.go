package verdict

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// denied are requests of one sort that the bench did not let through, although the
// controller may need them.
type denied []history.Request

// barred says which write of a cluster-scoped object the bench refused, if it may be why the
// scenario failed. The controller had the right to it. barred returns "" if there was none.
func (c *Case) barred() string {
	for _, sort := range bySort(c.Account.Requests, func(r *history.Request) bool { return r.Note == history.NoteClusterScoped }) {
		if !c.explains(sort) {
			continue
		}
		first := sort[0]
		text := fmt.Sprintf("%s: %s", first.InWords(), first.Note)
		if remedy := first.BarredRemedy(); remedy != "" {
			text += "; " + remedy
		}
		return text
	}
	return ""
}

// unserved says which request for a process of a Pod the bench could not serve, and how many
// more there were, if that may be why the scenario failed. It returns "" if there was none.
func (c *Case) unserved() string {
	requests, failed := c.Account.Unserved(), c.failedAt()
	if failed != 0 {
		requests = slices.DeleteFunc(requests, func(r history.Request) bool { return r.Seq > failed })
	}
	each := func(*history.Request) bool { return true }
	if !slices.ContainsFunc(bySort(requests, each), c.explains) {
		return ""
	}
	text := fmt.Sprintf("%s: %d (%s)", requests[0].InWords(), requests[0].Code, requests[0].Message)
	if more := len(requests) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// bySort returns the requests that count, those of one sort together: the same verb, of the
// same resource and name. Those into a Pod are of one sort whatever the Pod.
func bySort(requests []history.Request, counts func(*history.Request) bool) []denied {
	type key struct{ verb, resource, subresource, name string }
	place := map[key]int{}
	var sorts []denied
	for n := range requests {
		r := &requests[n]
		if !counts(r) {
			continue
		}
		k := key{r.Verb, r.GroupResource().String(), r.Subresource, r.Name}
		if r.IntoPod() {
			k.name = ""
		}
		at, known := place[k]
		if !known {
			at, place[k] = len(sorts), len(sorts)
			sorts = append(sorts, nil)
		}
		sorts[at] = append(sorts[at], *r)
	}
	return sorts
}

// explains says whether requests that were denied may be why a step failed.
func (c *Case) explains(d denied) bool {
	if c.Test == nil || len(c.Test.Failures) == 0 || c.endedSince(d[0].Seq) {
		return true
	}
	failure := c.Test.Failures[0]
	return c.explain(d, c.symptoms(failure), failure.Of.Kind == "Drift")
}

// explain says whether requests that were denied may be why a step found symptoms:
//
//   - They never explain what the controller itself removed, or changed in the metadata.
//   - If one was in vain after the scenario's last deed, they explain everything else: the missing
//     write may be due only after that request. If somebody else had changed a field (drift), only
//     writes after that request count for the next two rules.
//   - They explain the status if any of them was in vain.
//   - They explain the rest if the controller has not come as far as a write of what the step is about.
func (c *Case) explain(d denied, symptoms []v1alpha1.Symptom, drift bool) bool {
	if c.ownMistake(symptoms) {
		return false
	}
	from, vain := d[0].Seq, c.inVain(d)
	if n := slices.IndexFunc(vain, func(asked int64) bool { return asked > c.occasion() }); n >= 0 {
		if !drift {
			return true
		}
		from = vain[n]
	}
	if len(symptoms) == 0 {
		return !c.attempts(from, func(resource string) bool { return c.role(resource) == v1alpha1.RoleChild })
	}
	return slices.ContainsFunc(symptoms, func(s v1alpha1.Symptom) bool {
		ofStatus := s.Role == v1alpha1.RolePrimary && s.Path != "" && below(s.Path, "status")
		return ofStatus && len(vain) > 0 || !c.attempts(from, func(resource string) bool { return resource == s.Resource })
	})
}

// inVain returns the numbers of the requests before the step failed that were denied, and of
// those that failed because of them: for the object that was not written, in a namespace that
// was not made, or of a kind that was not defined. What a process asks for before it knows of
// any object, at its start, does not count: no object waits for that. A Pod belongs to an
// object.
func (c *Case) inVain(d denied) []int64 {
	lacks := func(r *history.Request) bool {
		if !r.Failed() || r.Fault != "" {
			return false
		}
		switch made := d[0]; {
		case made.IntoPod() || made.Name == "":
			return false
		case made.Resource == "namespaces" && made.Group == "":
			return r.Namespace == made.Name
		case made.Resource == "customresourcedefinitions":
			return r.GroupResource().String() == made.Name
		default:
			return r.GroupResource() == made.GroupResource() && r.Name == made.Name
		}
	}
	known := map[string]bool{} // by replica: its process has asked for the objects that it serves
	events, failed := c.Account.Events, c.failedAt()
	var found []int64
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		for len(events) > 0 && events[0].Seq < r.Seq {
			if events[0].Reason == history.ReplicaStarted {
				delete(known, events[0].Replica)
			}
			events = events[1:]
		}
		is := slices.ContainsFunc(d, func(one history.Request) bool { return one.Seq == r.Seq })
		if (known[r.Replica] || r.IntoPod()) && (is || lacks(r)) {
			found = append(found, r.Seq)
		}
		known[r.Replica] = known[r.Replica] || c.role(r.GroupResource().String()) != v1alpha1.RoleOther
	}
	return found
}

// attempts says whether the controller wrote an object of a resource after a number and
// before the step failed, or tried to.
func (c *Case) attempts(after int64, counts func(resource string) bool) bool {
	failed := c.failedAt()
	return slices.ContainsFunc(c.Account.Requests, func(r history.Request) bool {
		return r.Seq > after && (failed == 0 || r.Seq < failed) && r.IsWrite() && counts(r.GroupResource().String())
	})
}

// ownMistake says whether a step failed because the controller itself had removed a child,
// or changed its metadata. Nothing that it has to do without makes it do that. A wrong
// value in a spec may be a step on the way to the right one.
func (c *Case) ownMistake(symptoms []v1alpha1.Symptom) bool {
	return len(symptoms) > 0 && !slices.ContainsFunc(symptoms, func(s v1alpha1.Symptom) bool {
		changed := s.State == v1alpha1.Written && s.Path != "" && below(s.Path, "metadata")
		return s.Role != v1alpha1.RoleChild || !changed && s.State != v1alpha1.Removed
	})
}
