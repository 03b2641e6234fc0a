package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// marked ends the name of an operation after which somebody marks the object.
func (c child) marked() string { return "mark-" + c.called() }

func (c child) mark() v1alpha1.TrialOperation { return v1alpha1.TrialOperation{Mark: c.target()} }

// updates are the objects that the controller updates in an operation, after it has read
// them. What it deletes is not among them: a finalizer of somebody else holds it.
func (r *Recording) updates() []child {
	var all []child
	for _, w := range r.Writes {
		m := child{w.Resource, w.Name}
		if w.Verb == history.VerbUpdate && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return slices.DeleteFunc(all, func(m child) bool {
		return slices.ContainsFunc(r.Writes, func(w Write) bool { return w.Verb == history.VerbDelete && w.Resource == m.resource })
	})
}

// markings returns the operations after which somebody marks what the controller updates:
// the creation, and the first edit after which it updates something. If the controller
// updates the object at its deletion, such as to take off its own finalizer, that of somebody
// else must stay, so the object is marked before each deletion. They are recorded for their outcome.
func markings(operations []Operation, recorded map[string]*Recording) []Operation {
	var all []Operation
	edited := false
	for _, o := range operations {
		r, sort := recorded[o.Name], o.sort()
		if r != nil && sort == "delete" {
			all = append(append(all, o.heldDeletion()), r.heldChildren()...)
			continue
		}
		if r == nil || sort != "create" && (sort != "edit" || edited) {
			continue
		}
		for _, m := range r.updates() {
			edited = edited || sort == "edit"
			all = append(all, o.after(m.marked(), m.mark()))
		}
	}
	return all
}

// markPlans returns plans in which somebody else marks an object while an update of it is open. The
// finalizer of somebody else must stay.
func markPlans(recorded map[string]*Recording, r *Recording) []*Plan {
	var all []*Plan
	for _, m := range r.updates() {
		both := recorded[r.Name+" then "+m.marked()]
		if both == nil {
			continue
		}
		all = append(all, both.plan("kept", m.resource, "afterwards", "what others added must stay"))
		if r.sort() == "delete" {
			continue // the API server lets nobody add a finalizer to an object that is being deleted
		}
		for _, w := range r.Writes {
			if w.Verb != history.VerbUpdate || w.Resource != m.resource || w.Name != m.name {
				continue
			}
			other := Other{Name: m.marked(), How: "somebody else adds an annotation and a finalizer to the object", Step: m.mark()}
			one := *r
			one.Writes = []Write{w}
			for _, plan := range meanwhilePlans(recorded, &one, []Other{other}) {
				plan.Sort = "meanwhile-mark"
				all = append(all, plan)
			}
		}
	}
	return all
}
