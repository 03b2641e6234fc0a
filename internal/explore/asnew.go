package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/profile"
)

const (
	// asNew is how the name of an edit ends if the object was created with the edit in it.
	asNew = "as-new"
	// allEdits is the name of the operation that makes all edits, one after the other.
	allEdits = "edits"
)

// createdSo returns, for each edit, the creation of an object that has the edit from the
// start. If there are several edits, it also returns all of them one after the other, and the
// creation of an object that has them all. They are recorded for their outcome.
func (t *Target) createdSo(operations []Operation) ([]Operation, error) {
	create, err := t.creation()
	if err != nil {
		return nil, err
	}
	var all []Operation
	edited, both := t.Sample.Object, create
	both.Name, both.Steps = allEdits, slices.Clone(create.Steps)
	for _, edit := range t.Edits {
		at := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == "edit-"+edit.Name })
		if at < 0 {
			continue
		}
		one, err := create.creating(operations[at].Name, profile.Merged(t.Sample.Object, edit.Patch))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		edited = profile.Merged(edited, edit.Patch)
		both.Steps = append(both.Steps, operations[at].Steps[len(operations[at].Steps)-1])
	}
	if len(all) < 2 {
		return all, nil
	}
	one, err := create.creating(allEdits, edited)
	return append(all, both, one), err
}

// creating returns the creation of another object than the sample, for the outcome of an
// operation.
func (o Operation) creating(operation string, object map[string]any) (Operation, error) {
	encoded, err := encode(object)
	o.Name = operation + " then " + asNew
	o.Steps = []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: encoded}}}
	return o, err
}

// asNewPlans say that after an edit, and after all of them, everything is as if the object
// had been created so.
func asNewPlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil {
		return nil, nil
	}
	names := []string{allEdits}
	for _, o := range operations {
		names = append(names, o.Name)
	}
	var all []*Plan
	for _, name := range names {
		edited, anew := recorded[name], recorded[name+" then "+asNew]
		if edited == nil || anew == nil {
			continue
		}
		allowed, err := leftByEdits(create, anew, edited, own)
		if err != nil {
			return nil, err
		}
		plan := edited.planAsCreated(anew, "edited-as-new", "all", "all must be as if the object had been created so")
		plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, allowed...)
		all = append(all, plan)
	}
	return all, nil
}

// leftByEdits returns masks for what a sound controller may leave of the state before an
// edit: a history of objects; what Kubernetes lets nobody change; counters, and annotations
// that the edit does not name, which are notes; the order of a list. Of the object itself,
// only a field of the status counts that goes on saying what was right before the edit.
func leftByEdits(create, anew, edited *Recording, own v1alpha1.TrialTarget) ([]v1alpha1.TrialMask, error) {
	before, err := objectsOf(create)
	if err != nil {
		return nil, err
	}
	expected, err := objectsOf(anew)
	if err != nil {
		return nil, err
	}
	found, err := objectsOf(edited)
	if err != nil {
		return nil, err
	}
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
	for _, d := range snapshot.Between(before, expected) {
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
		case d.Object == object, d.Kind == v1alpha1.DivergenceField && (!stale && isNote(d.Path, patches.String()) || isRaised(d, changes)):
			all = append(all, fieldOf(d))
		case isOrder(d, differing):
			all = append(all, fieldOf(d))
		case d.Kind == v1alpha1.DivergenceExtra:
			all = append(all, historyOf(d, before, expected)...)
		}
	}
	return all, nil
}

// historyOf returns masks for an object that is there only after an edit. One that was there
// before the edit is a history if the new object has another one in its place. One that was
// made by the edit numbers its kind, so that the objects of this kind cannot be compared.
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

// isRaised tells whether a field is a number that the edit raised, though it does not follow
// from what was edited: a revision.
func isRaised(d v1alpha1.Divergence, follows bool) bool {
	expected, err := strconv.ParseFloat(strings.Trim(d.Expected, `"`), 64)
	if err != nil || follows {
		return false
	}
	found, err := strconv.ParseFloat(strings.Trim(d.Found, `"`), 64)
	return err == nil && found > expected
}

// isOrder tells whether only the order of a list differs, and nothing in it.
func isOrder(d v1alpha1.Divergence, all []v1alpha1.Divergence) bool {
	return snapshot.IsOrder(d) && !slices.ContainsFunc(all, func(other v1alpha1.Divergence) bool {
		return other.Object == d.Object && strings.HasPrefix(other.Path, fmt.Sprintf("%s[", d.Path))
	})
}
