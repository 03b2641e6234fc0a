package explore

import (
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
)

// holding is how the name of an operation goes on after which a child of the deleted object
// stays for a while.
const holding = "hold-"

// heldChildren returns the deletion while a finalizer of somebody else holds a child, one for
// each child that the controller deletes itself and reads live. Otherwise the child is gone
// before the controller can read it again.
func (r *Recording) heldChildren() []Operation {
	var all []Operation
	for _, w := range r.Writes {
		c := child{w.Resource, w.Name}
		if w.Verb != history.VerbDelete || w.Name == "" || w.Resource == r.About || len(r.readsOf(c)) == 0 {
			continue
		}
		held := r.after(holding+c.called(), c.mark())
		last := len(held.Steps) - 1
		held.Steps[last-1], held.Steps[last] = held.Steps[last], held.Steps[last-1]
		if !slices.ContainsFunc(all, func(o Operation) bool { return o.Name == held.Name }) {
			all = append(all, held)
		}
	}
	return all
}

// readsOf returns the live reads of an object, or of all objects of its kind.
func (r *Recording) readsOf(c child) []Read {
	return slices.DeleteFunc(slices.Clone(r.Reads), func(read Read) bool {
		return read.Resource != c.resource || read.Name != "" && read.Name != c.name
	})
}

// In heldPlans the live reads of a child fail while it is there and its owner is being
// deleted. What cannot be read is not gone: the owner must wait for it.
func heldPlans(recorded map[string]*Recording) []*Plan {
	deletion := recorded["delete"]
	if deletion == nil {
		return nil
	}
	var all []*Plan
	for _, o := range deletion.heldChildren() {
		held := recorded[o.Name]
		if held == nil {
			continue
		}
		marked := held.Steps[len(held.Steps)-2].Mark
		all = append(all, held.readPlans(held.readsOf(child{marked.Resource, marked.Name}))...)
	}
	return all
}

// isHolding says whether a part of the name of an operation is about a child that is held.
func isHolding(then string) bool { return strings.HasPrefix(then, holding) }
