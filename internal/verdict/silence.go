package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// silence says what the controller did about an object since the scenario last changed
// something, if none of it was the write that is missing.
func (c *Case) silence(w wrong) string {
	change, failed := c.lastChange(), c.failure()
	isMissing := w.path == "" && w.what == missing
	if change == nil || failed == nil {
		return ""
	}
	sent, read := false, false
	var wrote, tried *history.Request // tried is a write before the change, if the last one failed
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if r.Seq < change.Seq && w.isOf(r) && r.IsWrite() && r.Verb != history.VerbDelete {
			tried = nil
			if r.Failed() {
				tried = r
			}
		}
		if r.Seq < change.Seq || r.Seq > failed.Seq || r.IsElection() || r.Verb == history.VerbWatch || r.Verb == history.VerbOther {
			continue
		}
		sent = true
		switch {
		case !w.isOf(r):
		case r.IsWrite():
			wrote = r
		default:
			read = true
		}
	}
	after := "after the change"
	if waited := failed.Time.Sub(change.Time).Round(time.Second); waited > 0 {
		after = fmt.Sprintf("in the %s after the change", waited)
	}
	switch {
	case !sent:
		return fmt.Sprintf("; the controller sent no request %s", after)
	case wrote == nil && read:
		return fmt.Sprintf("; the controller read it, and did not write it %s", after)
	case wrote == nil:
		return fmt.Sprintf("; the controller sent no request for it %s", after) + attempted(tried, "its last attempt before that")
	case isMissing || wrote.Failed():
		return ""
	case wrote.Effect == history.EffectNoop:
		return fmt.Sprintf("; after the change the controller wrote the object as it was (#%d)", wrote.Seq)
	}
	if w.path == "" {
		return fmt.Sprintf("; after the change the controller wrote the object (#%d), and not this", wrote.Seq)
	}
	if wrote.Verb == history.VerbCreate {
		return fmt.Sprintf("; after the change the controller created the object (#%d), and did not change this field later", wrote.Seq)
	}
	return fmt.Sprintf("; after the change the controller wrote the object (#%d), and did not change this field", wrote.Seq)
}

// unasked says that the controller has never asked for the objects that it serves, if that is
// so. It may serve another resource than the one of the profile.
func (c *Case) unasked() string {
	asks := func(r history.Request) bool {
		return r.GroupResource() == c.Contract.Primary || r.IsWrite() && !r.IsElection()
	}
	if slices.ContainsFunc(c.Account.Requests, asks) {
		return ""
	}
	return fmt.Sprintf("; the controller has never asked for %s", c.Contract.Primary)
}

// notDeleted says of an object that must be gone whether the controller has asked for that.
func (c *Case) notDeleted(role v1alpha1.SymptomRole, w wrong, writes []history.Request) string {
	if w.name == "" {
		return ""
	}
	for _, r := range slices.Backward(writes) {
		switch {
		case r.Verb == history.VerbCreate && done(r) && r.Name == w.name:
			return c.notEvenAsked(role, w)
		case r.Verb == history.VerbDelete && done(r):
			return fmt.Sprintf("; the controller asked for its deletion (#%d)", r.Seq)
		case r.Verb == history.VerbDelete:
			return fmt.Sprintf("; the controller's last request to delete it failed (#%d: %d)", r.Seq, r.Code)
		}
	}
	return c.notEvenAsked(role, w)
}

// notEvenAsked says what the controller did in place of deleting an object that must be gone,
// and that it has not asked to be deleted. Not every object is deleted by a controller: a
// Deployment replaces its Pods if their template changes, and what was deleted goes with its
// last finalizer.
func (c *Case) notEvenAsked(role v1alpha1.SymptomRole, w wrong) string {
	deleted := c.deletedBefore(w)
	switch {
	case role == v1alpha1.RolePrimary && deleted:
		return "; it was deleted, and stays while a finalizer is left, of its own or of a child"
	case w.resource != "pods":
		return "; the controller sent no request to delete it"
	case deleted:
		return ""
	}
	for _, r := range since(c.occasion(), c.Account.Requests) {
		ofTemplate := func(path string) bool { return strings.HasPrefix(path, "spec.template") }
		if r.IsWrite() && done(r) && slices.ContainsFunc(r.Changed, ofTemplate) {
			return fmt.Sprintf("; the controller changed the Pod template of %s %s (#%d)", r.GroupResource(), r.Name, r.Seq)
		}
	}
	return "; a Deployment replaces its Pods if their template changes, and the controller has not changed the template since"
}
