package verdict

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/chainsaw"
	"reconform.dev/reconform/internal/history"
)

// wrong is something that a failed step found wrong: an object, or a field of an object.
// Together with what the controller did about it, it becomes a symptom.
type wrong struct {
	resource, name string
	what           wrongness
	path           string
	// at is the resourceVersion at which it was seen. It is empty if that is not known.
	at string
}

// wrongness says in which way a thing is wrong.
type wrongness int

const (
	missing  wrongness = iota // it is not there
	present                   // it is there, but must not be
	differs                   // its field has a wrong value
	written                   // the controller did something that it must not do
	repeated                  // the controller did it too often
)

// symptoms returns the symptoms of the first failure of a scenario, each once. It returns
// none if it is not known what the failure is about.
func (c *Case) symptoms(failure chainsaw.Failure) []v1alpha1.Symptom {
	var found []v1alpha1.Symptom
	for _, w := range c.wrongs(failure) {
		symptom := c.symptom(w)
		known := func(s v1alpha1.Symptom) bool {
			return s.Resource == symptom.Resource && s.State == symptom.State && s.Path == symptom.Path
		}
		if symptom.State != "" && !slices.ContainsFunc(found, known) {
			found = append(found, symptom)
		}
	}
	if stuck := c.stuck(); stuck != nil && len(found) > 0 {
		found = append(found, *stuck)
	}
	// Other controllers write the status of a child. It does not count if something else
	// is wrong.
	own := func(s v1alpha1.Symptom) bool { return s.Role != v1alpha1.RoleChild || !below(s.Path, "status") }
	if slices.ContainsFunc(found, own) {
		found = slices.DeleteFunc(found, func(s v1alpha1.Symptom) bool { return !own(s) })
	}
	return found
}

// stubborn is how often in a row a write must be refused before the controller counts as
// stuck with it.
const stubborn = 3

// stuck returns a write that the controller kept retrying before the step failed. The
// write was refused each time, and not by a Fault of the scenario. It returns nil if there
// is none.
func (c *Case) stuck() *v1alpha1.Symptom {
	type attempt struct{ verb, resource, name, reason string }
	rows, failed := map[attempt]int{}, c.failedAt()
	var last *history.Request
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		if role := c.role(r.GroupResource().String()); role == v1alpha1.RoleOther ||
			r.Verb != history.VerbCreate && r.Verb != history.VerbUpdate && r.Verb != history.VerbDelete {
			continue
		}
		one := attempt{r.Verb, r.GroupResource().String(), r.Name, r.Reason}
		if !r.Failed() || r.Fault != "" || r.Reason == "" {
			for other := range rows {
				if other.resource == one.resource && other.name == one.name {
					delete(rows, other)
				}
			}
			continue
		}
		if rows[one]++; rows[one] >= stubborn {
			last = r
		}
	}
	if last == nil || rows[attempt{last.Verb, last.GroupResource().String(), last.Name, last.Reason}] < stubborn {
		return nil
	}
	resource := last.GroupResource().String()
	return &v1alpha1.Symptom{
		Resource: resource, Role: c.role(resource), State: v1alpha1.Refused, Path: last.Verb + " " + last.Reason,
		Seen: fmt.Sprintf("the controller goes on trying to %s %s %s, and that is refused each time (%s, #%d the last)",
			last.Verb, resource, last.Name, last.Reason, last.Seq),
	}
}

// symptom turns something wrong into a symptom, by what the controller did about it.
func (c *Case) symptom(w wrong) v1alpha1.Symptom {
	s := v1alpha1.Symptom{Resource: w.resource, Role: c.role(w.resource), Path: w.path}
	what := strings.TrimSpace(w.resource + " " + w.name)
	writes := c.writes(w)
	switch w.what {
	case missing:
		c.missing(&s, what, writes)
	case present:
		s.State, s.Seen = v1alpha1.Left, what+" is there, and must not be"
	case differs:
		c.differing(&s, w, what, writes)
	case written:
		s.State, s.Seen = v1alpha1.Written, fmt.Sprintf("the controller wrote %s", field(w.path, what))
	case repeated:
		s.State, s.Seen = v1alpha1.Repeated, fmt.Sprintf("the controller asked for %s too often", what)
	}
	return s
}

// missing says why an object is not there.
func (c *Case) missing(s *v1alpha1.Symptom, what string, writes []history.Request) {
	made := slices.IndexFunc(writes, func(r history.Request) bool { return r.Verb == history.VerbCreate && done(r) })
	var last *history.Request // last attempt since it was there
	for n := range writes {
		r := &writes[n]
		switch {
		case r.Verb == history.VerbDelete && done(*r) && n > made && made >= 0:
			s.State, s.Seen = v1alpha1.Removed, fmt.Sprintf("%s is not there: the controller removed it (#%d)", what, r.Seq)
			return
		case r.Verb == history.VerbCreate && done(*r):
			made, last = n, nil
		case r.Verb == history.VerbCreate:
			last = r
		}
	}
	if made >= 0 {
		s.State, s.Seen = v1alpha1.NotMadeAgain, fmt.Sprintf("%s is not there: it was made (#%d), and not made again", what, writes[made].Seq)
	} else {
		s.State, s.Seen = v1alpha1.NeverMade, fmt.Sprintf("%s is not there: it was never made", what)
	}
	s.AfterFailure = last != nil && !c.endedSince(last.Seq)
	s.Seen += attempted(last, "to create it")
}

// differing says why a field has a wrong value.
func (c *Case) differing(s *v1alpha1.Symptom, w wrong, what string, writes []history.Request) {
	since := c.occasion()
	if below(w.path, "metadata") {
		since = 0 // the controller may have removed it long before
	}
	var last *history.Request // last attempt that changed nothing
	for n := range writes {
		r := &writes[n]
		if r.Seq < since || r.Verb == history.VerbDelete {
			continue
		}
		switch {
		case done(*r) && (w.at == "" || r.ResourceVersion == w.at) && changes(r, w.path):
			s.State, s.Seen = v1alpha1.Written, fmt.Sprintf("the controller changed %s itself (#%d)", field(w.path, what), r.Seq)
			return
		case done(*r):
			last = nil
		case r.Failed() || r.Code == 0:
			last = r
		}
	}
	if w.at != "" {
		return // something else made that version, or it is not known what did
	}
	s.State, s.Seen = v1alpha1.NotWritten, fmt.Sprintf("%s is not as it must be, and the controller did not write it", field(w.path, what))
	s.AfterFailure = last != nil && !c.endedSince(last.Seq)
	s.Seen += attempted(last, "to write the object")
}

// endedSince says whether a process ended by itself after a request. Then that may be why
// nothing followed.
func (c *Case) endedSince(seq int64) bool {
	return slices.ContainsFunc(c.Account.Events, func(e history.Event) bool { return e.Reason == history.ReplicaCrashed && e.Seq > seq })
}

// attempted describes the last attempt at a write, if there was one.
func attempted(last *history.Request, to string) string {
	if last == nil {
		return ""
	}
	return fmt.Sprintf("; the last attempt %s failed (%s: %d)", to, last.InWords(), last.Code)
}

// done says whether a write took place.
func done(r history.Request) bool { return r.Effect == history.EffectEffective }

// field names a field of an object in words.
func field(path, what string) string {
	if path == "" {
		return what
	}
	return path + " of " + what
}

// changes says whether a write changed a field, or something below or above it.
func changes(r *history.Request, path string) bool {
	return slices.ContainsFunc(r.Changed, func(changed string) bool {
		changed = plain(changed)
		return path == "" || changed != "" && (below(changed, path) || below(path, changed))
	})
}

// writes returns the writes to the wrong object before the step failed, in order.
func (c *Case) writes(w wrong) []history.Request {
	var found []history.Request
	failed := c.failedAt()
	for _, r := range c.Account.Requests {
		if failed != 0 && r.Seq > failed {
			break
		}
		write := r.Verb == history.VerbCreate || r.Verb == history.VerbUpdate || r.Verb == history.VerbDelete
		if write && r.GroupResource().String() == w.resource && (w.name == "" || r.Name == w.name || r.Name == "") {
			found = append(found, r)
		}
	}
	return found
}

// failedAt returns the number at which the first step failed, or 0 if none failed.
func (c *Case) failedAt() int64 {
	for _, e := range c.Account.Events {
		if e.Reason == history.StepFailed {
			return e.Seq
		}
	}
	return 0
}

// occasion returns the number at which the scenario last began to do something before a
// step failed. That is the first of the Given and When steps before the judging steps.
func (c *Case) occasion() int64 {
	var at int64
	judging := true
	for _, e := range c.Account.Events {
		if e.Reason == history.StepFailed {
			break
		}
		if e.Reason != history.StepBegan {
			continue
		}
		prepares := strings.HasPrefix(e.Message, "When ") || strings.HasPrefix(e.Message, "Given ")
		if prepares && judging {
			at = e.Seq
		}
		judging = !prepares
	}
	return at
}

// role returns the role of a resource in the contract.
func (c *Case) role(resource string) v1alpha1.SymptomRole {
	is := func(gr schema.GroupResource) bool { return gr.String() == resource }
	switch {
	case is(c.Contract.Primary):
		return v1alpha1.RolePrimary
	case slices.ContainsFunc(c.Contract.Children, is):
		return v1alpha1.RoleChild
	}
	return v1alpha1.RoleOther
}

// below says whether a path is equal to another path, or below it. Every path is below the
// empty path.
func below(path, of string) bool { return of == "" || path == of || strings.HasPrefix(path, of+".") }
