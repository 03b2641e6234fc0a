package explore

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// driftedMeanwhile is the sort of plans in which somebody else changes a field of a child
	// that the controller set, while the controller writes that child.
	driftedMeanwhile = "meanwhile-drift"
	// drifting is how the name of an operation begins after which somebody else changes a field
	// of a child.
	drifting = "drift-"
)

// drifted returns the operation with a change of a child by somebody else after it: of one field,
// or after an edit or a drift of all, if a contract says which a controller puts back. What it
// writes for the operation puts the field right that it is about, and the others must be put right
// because somebody else has changed them.
func (o Operation) drifted(c child, contract bool) Operation {
	fields := v1alpha1.DriftFirst
	if contract && o.sort() != "create" {
		fields = v1alpha1.DriftAll
	}
	return o.after(drifting+c.called(), c.drift(fields))
}

func (c child) drift(fields v1alpha1.TrialDriftFields) v1alpha1.TrialOperation {
	return v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: *c.target(), Fields: fields}}
}

// writesOfChildren are the creations and updates of children. Of a name that the API server makes
// up, it is not known before which object it is.
func (t *Target) writesOfChildren(r *Recording) []Write {
	return slices.DeleteFunc(slices.Clone(r.Writes), func(w Write) bool {
		return w.Verb == history.VerbDelete || w.Subresource != "" || w.Resource == t.Resource || strings.ContainsAny(w.Name, "*?")
	})
}

// meddlings returns the operations after which somebody else changes a field of a child that the
// controller writes: the creation, and for each child the first edit, and the first drift, after
// which it writes that one. They are recorded for their outcome. After the write that puts a drift
// right, hardly anything happens that could wake the controller.
func (t *Target) meddlings(operations []Operation, recorded map[string]*Recording) []Operation {
	var all []Operation
	seen := map[string]bool{} // by sort and child
	for _, o := range operations {
		r, sort := recorded[o.Name], o.sort()
		if r == nil || !slices.Contains([]string{"create", "edit", "drift"}, sort) {
			continue
		}
		for _, w := range t.writesOfChildren(r) {
			both := o.drifted(child{w.Resource, w.Name}, t.Profile.HasContract())
			if key := sort + " " + w.Resource + " " + w.Name; !seen[key] {
				seen[key] = true
				all = append(all, both)
			}
		}
	}
	return all
}

// meddledPlans returns the plans in which somebody else changes fields of a child while an update
// of it is open, or while the answer to its creation is on its way. The controller must put them
// back, if it does so after the operation, too.
func (t *Target) meddledPlans(recorded map[string]*Recording, r *Recording) ([]*Plan, error) {
	var all []*Plan
	for _, w := range t.writesOfChildren(r) {
		c := child{w.Resource, w.Name}
		then := r.drifted(c, t.Profile.HasContract())
		both := recorded[then.Name]
		if both == nil {
			continue
		}
		if healed, err := isHealed(r, both); err != nil || !healed {
			if err != nil {
				return nil, err
			}
			continue
		}
		other := Other{Name: drifting + c.called(), How: "somebody else changes a field that it set", Step: then.Steps[len(then.Steps)-1]}
		if other.Step.Drift.Fields == v1alpha1.DriftAll {
			other.How = "somebody else changes all fields that it set"
		}
		one := *r
		one.Writes = []Write{w}
		for _, plan := range meanwhilePlans(recorded, &one, []Other{other}) {
			if w.Verb == history.VerbCreate { // before that, there is nothing to change
				plan.Point = onItsWay + w.InWords() + " is on its way"
				plan.Disturb.AnswerWaits, plan.Disturb.At.Occurrence = true, w.Effective
			}
			plan.Sort = driftedMeanwhile
			all = append(all, plan)
		}
	}
	return all, nil
}

// isHealed says whether all is as after an operation, undisturbed, when somebody else has changed
// something after it.
func isHealed(r, both *Recording) (bool, error) {
	states, err := outcomesOf(r, both)
	if err != nil {
		return false, err
	}
	masks := slices.Concat(r.Undisturbed.Masks, both.Undisturbed.Masks)
	return !slices.ContainsFunc(snapshot.Between(states[0], states[1]), func(d v1alpha1.Divergence) bool {
		return !snapshot.Masked(masks, d.Object, d.Path)
	}), nil
}
