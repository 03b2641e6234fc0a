package explore

import (
	"errors"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/profile"
)

const (
	// asNew ends the name of an edit if the object was created with the edit in it.
	asNew = "as-new"
	// allEdits is the name of the operation that makes all edits, one after the other.
	allEdits = "edits"
	// undoneEdits is the name of the operation that creates an object with all edits in it,
	// and takes them back.
	undoneEdits = "edits-undone"
)

// createdSo returns operations that are recorded for their outcome:
//
//   - for each edit of the object, the creation of an object that has the edit from the start;
//   - for each edit of what is beside the object, that edit, and then the creation;
//   - all edits of the object, one after the other;
//   - the creation of an object that has all edits from the start;
//   - the same creation, and then all edits are taken back.
func (t *Target) createdSo(operations []Operation) ([]Operation, error) {
	create, err := t.creation()
	if err != nil {
		return nil, err
	}
	var all, besides []Operation
	edited, both := t.Sample.Object, create
	both.Name, both.Steps = allEdits, slices.Clone(create.Steps)
	for _, edit := range t.edits() {
		at := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == edit.operation() })
		if at < 0 || !t.follows(edit) {
			continue
		}
		last := operations[at].Steps[len(operations[at].Steps)-1]
		if edit.of != t.own() {
			before := create
			before.Name, before.Steps = edit.operation()+" then "+asNew, append([]v1alpha1.TrialOperation{last}, create.Steps...)
			besides = append(besides, before)
			continue
		}
		one, err := create.creating(edit.operation(), profile.Merged(t.Sample.Object, edit.Patch))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		edited = profile.Merged(edited, edit.Patch)
		both.Steps = append(both.Steps, last)
	}
	switch len(all) {
	case 0:
		return besides, nil
	case 1: // it is an operation itself
	default:
		all = append(all, both)
	}
	together, err := create.creating(allEdits, edited)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(t.edits(), t.growsOnly) {
		return slices.Concat(all, []Operation{together}, besides), nil
	}
	undo, err := encode(profile.Difference(edited, t.Sample.Object))
	if err != nil {
		return nil, err
	}
	undone := together
	undone.Name = undoneEdits
	undone.Steps = append(slices.Clone(together.Steps), v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{TrialTarget: t.own(), Patch: undo}})
	return slices.Concat(all, []Operation{together, undone}, besides), nil
}

// creating returns the creation of another object than the sample, for the outcome of an
// operation.
func (o Operation) creating(operation string, object map[string]any) (Operation, error) {
	encoded, err := encode(object)
	o.Name = operation + " then " + asNew
	o.Steps = []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: encoded}}}
	return o, err
}

// asNewPlans say that after an edit, after all of them, and when all were taken back,
// everything is as if the object had been created so.
func asNewPlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget) ([]*Plan, error) {
	create := recorded["create"]
	var all []*Plan
	add := func(before, edited, anew *Recording) error {
		if before == nil || edited == nil || anew == nil {
			return nil
		}
		allowed, err := leftByEdits(before, anew, edited, own)
		if err != nil {
			return err
		}
		plan := edited.planAsCreated(anew, "edited-as-new", "all", "all must be as if the object had been created so")
		plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, allowed...)
		all = append(all, plan)
		return nil
	}
	for _, o := range operations {
		if err := add(create, recorded[o.Name], recorded[o.Name+" then "+asNew]); err != nil {
			return nil, err
		}
	}
	together := recorded[allEdits+" then "+asNew]
	return all, errors.Join(add(create, recorded[allEdits], together), add(together, recorded[undoneEdits], create))
}

// leftByEdits returns masks for what a sound controller may leave of the state before an
// edit: a history of objects; what Kubernetes lets nobody change; counters, and annotations
// that the edit does not name, which are notes; the order of a list. Of the object itself,
// only a field of the status counts that goes on saying what was right before the edit.
func leftByEdits(before, anew, edited *Recording, own v1alpha1.TrialTarget) ([]v1alpha1.TrialMask, error) {
	states, err := outcomesOf(before, anew, edited)
	if err != nil {
		return nil, err
	}
	were, expected, found := states[0], states[1], states[2]
	object := own.Resource + " " + own.Name
	all := []v1alpha1.TrialMask{
		{Object: "persistentvolumeclaims *"}, {Object: "pods *"}, {Object: "jobs.batch *"}, // the API server refuses most changes
		{Object: "statefulsets.apps *", Path: "spec.volumeClaimTemplates"}, {Object: "*.apps *", Path: "spec.selector"},
	}
	for _, one := range []map[string]any{expected, found} {
		for key := range one {
			if key != object {
				all = append(all, v1alpha1.TrialMask{Object: key, Path: "status"})
			}
		}
	}
	follows := map[v1alpha1.TrialMask]v1alpha1.Divergence{} // what the edit changes
	for _, d := range snapshot.Between(were, expected) {
		follows[fieldOf(d)] = d
	}
	var patches strings.Builder
	for _, step := range edited.Steps {
		if step.Patch != nil {
			patches.Write(step.Patch.Patch.Raw)
		}
	}
	differing := snapshot.Between(expected, found)
	for _, d := range differing {
		was, changes := follows[fieldOf(d)]
		stale := changes && was.Expected == d.Found && was.Found == d.Expected
		switch {
		case d.Object == object && stale && strings.HasPrefix(d.Path, "status."):
		case d.Object == object, isOrder(d, differing),
			d.Kind == v1alpha1.DivergenceField && (!stale && isNote(d.Path, patches.String()) || !changes && isRaised(d)):
			all = append(all, fieldOf(d))
		case d.Kind == v1alpha1.DivergenceExtra:
			all = append(all, historyOf(d, were, expected)...)
		}
	}
	return all, nil
}

// historyOf returns masks for an object that is there after an edit, and not in an object that was
// created so. If it was there before the edit, it is a history if the other object has another one in
// its place. If the edit made it, the objects of this kind are numbered, and cannot be compared.
func historyOf(d v1alpha1.Divergence, before, expected map[string]any) []v1alpha1.TrialMask {
	resource := resourceOf(d)
	if _, was := before[d.Object]; !was {
		return []v1alpha1.TrialMask{{Object: resource + " *"}}
	}
	for key := range expected {
		if _, was := before[key]; !was && strings.HasPrefix(key, resource+" ") {
			return []v1alpha1.TrialMask{{Object: anyEnding(d.Object)}}
		}
	}
	return nil
}

// isRaised tells whether a field is a number that is higher after the edit. If the edit is not
// the reason, it is a revision.
func isRaised(d v1alpha1.Divergence) bool {
	numbers := numbersIn(d.Expected, d.Found)
	return len(numbers) == 2 && numbers[0] < numbers[1]
}

// isOrder tells whether only the order of a list differs, and nothing in it.
func isOrder(d v1alpha1.Divergence, all []v1alpha1.Divergence) bool {
	return snapshot.IsOrder(d) && !slices.ContainsFunc(all, func(other v1alpha1.Divergence) bool {
		return other.Object == d.Object && strings.HasPrefix(other.Path, d.Path+"[")
	})
}
