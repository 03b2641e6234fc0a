package explore

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

const (
	// createdMeanwhile and editedMeanwhile are the sorts of plans in which something happens to
	// another object of the same kind while a write of the first one is open.
	createdMeanwhile = "meanwhile-another"
	editedMeanwhile  = "meanwhile-another-edit"
)

// besidePlans returns plans in which something happens to another object of the same kind.
// It is created while a write for the first one is open, or it is edited while a write for
// the creation of the first one is open. The write stays open until the controller is
// quiet. So the controller reconciles the other object meanwhile, if it does two things at
// a time. Each object must be as if they had come one after the other.
//
// What depends on the other object, or on which of the two came first, is not compared. If what both
// share changes in an operation, it is left out: nobody has recorded what comes of it then.
func (t *Target) besidePlans(recorded map[string]*Recording, operations []Operation) ([]*Plan, error) {
	create, both := recorded["create"], recorded[another]
	if create == nil || both == nil {
		return nil, nil
	}
	states, err := outcomesOf(create, both)
	if err != nil {
		return nil, err
	}
	unlike, err := t.unlike(states[0], states[1])
	if err != nil {
		return nil, err
	}
	created, err := creates(t.Another)
	if err != nil {
		return nil, err
	}
	common := map[string]any{}
	for _, object := range shared(states[0], states[1], t.own()) {
		common[object] = states[0][object]
	}
	others := states[1] // the objects of the other one only
	maps.DeleteFunc(others, func(object string, _ any) bool { _, first := states[0][object]; return first })
	all, err := createdBeside(recorded, operations, created, others, common, unlike)
	if err != nil {
		return nil, err
	}
	r := recorded[another+" then edit"]
	if r == nil {
		return all, nil
	}
	edited, err := t.editedBeside(create, r, created, unlike)
	return append(all, edited...), err
}

// createdBeside returns plans in which the other object is created during the creation, the
// first edit and the deletion of the first one. Created has the steps that create it, others what
// comes of it, and common what both share.
func createdBeside(recorded map[string]*Recording, operations []Operation, created []v1alpha1.TrialOperation, others, common map[string]any, unlike []v1alpha1.TrialMask) ([]*Plan, error) {
	before, last := created[:len(created)-1], created[len(created)-1]
	var all []*Plan
	edited := false
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || len(r.Writes) == 0 || !slices.Contains([]string{"create", "edit", "delete"}, o.sort()) || o.sort() == "edit" && edited {
			continue
		}
		states, err := outcomesOf(r)
		if err != nil {
			return nil, err
		}
		now := maps.Clone(states[0])
		maps.DeleteFunc(now, func(object string, _ any) bool { _, is := common[object]; return !is })
		if len(snapshot.Between(common, now)) > 0 {
			continue
		}
		edited = edited || o.sort() == "edit"
		maps.Copy(states[0], others)
		steps := slices.Insert(slices.Clone(r.Steps), len(r.Steps)-1, before...)
		plans, err := besides(r, recorded[another], states[0], steps, unlike, createdMeanwhile, "another object of its kind is created", last)
		if err != nil {
			return nil, err
		}
		all = append(all, plans...)
	}
	return all, nil
}

// editedBeside returns plans in which the other object is edited during the creation of the
// first one. Edited is the recording of that edit.
func (t *Target) editedBeside(create, edited *Recording, created []v1alpha1.TrialOperation, unlike []v1alpha1.TrialMask) ([]*Plan, error) {
	states, err := outcomesOf(create, edited)
	if err != nil {
		return nil, err
	}
	more, err := t.unlike(states[0], states[1])
	if err != nil {
		return nil, err
	}
	more = slices.DeleteFunc(more, func(m v1alpha1.TrialMask) bool { _, first := states[0][m.Object]; return !first })
	edit := edited.Steps[len(edited.Steps)-1]
	how := "the " + t.AnotherEdits[0].Name + " of another object of its kind is edited"
	return besides(create, edited, states[1], slices.Concat(created, create.Steps), slices.Concat(unlike, more), editedMeanwhile, how, edit)
}

// besides returns plans for each write of a recording, with these steps and this outcome.
func besides(r, both *Recording, outcome map[string]any, steps []v1alpha1.TrialOperation, unlike []v1alpha1.TrialMask, sort, how string, meanwhile v1alpha1.TrialOperation) ([]*Plan, error) {
	expected, err := json.Marshal(outcome)
	if err != nil {
		return nil, fmt.Errorf("encoding an outcome: %w", err)
	}
	together := *r
	together.Steps = steps
	var all []*Plan
	for _, w := range r.Writes {
		if strings.ContainsAny(w.Name, "*?") {
			continue // the other object may have one of that name, too
		}
		plan := together.plan(sort, w.kind(), whileOpen+w.InWords(), how)
		u := &plan.Undisturbed
		u.Objects = string(expected)
		u.Masks = uncounted(slices.Concat(u.Masks, both.Undisturbed.Masks, unlike))
		u.Deletions = append(u.Deletions, both.Undisturbed.Deletions...)
		u.Harms = append(u.Harms, both.Undisturbed.Harms...)
		u.Writes += both.Undisturbed.Writes
		plan.Disturb = &v1alpha1.TrialDisturbance{At: w.at(), Meanwhile: meanwhile.DeepCopy(), UntilQuiet: true}
		all = append(all, plan)
	}
	return all, nil
}

// creates returns the steps that create some objects.
func creates(objects []*unstructured.Unstructured) ([]v1alpha1.TrialOperation, error) {
	var all []v1alpha1.TrialOperation
	for _, object := range objects {
		encoded, err := encode(object.Object)
		if err != nil {
			return nil, err
		}
		all = append(all, v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: encoded}})
	}
	return all, nil
}

// unlike returns masks for what differs between two objects that came one after the other, in
// both of them: it may depend on which came first. Before is the outcome with the first one, and
// after with both.
func (t *Target) unlike(before, after map[string]any) ([]v1alpha1.TrialMask, error) {
	name := t.Sample.GetName()
	var all []v1alpha1.TrialMask
	mask := func(object, path string) {
		for _, m := range []v1alpha1.TrialMask{{Object: anyEnding(object), Path: path}, {Object: anyEnding(renamed(object, name)), Path: path}} {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	ofFirst, ofOther, like := map[string]any{}, map[string]any{}, map[string]any{}
	for object, content := range after {
		if _, first := before[object]; first {
			ofFirst[object] = content
		} else {
			ofOther[object] = content
		}
	}
	originals := map[string]string{}
	for object, content := range before {
		if other := renamed(object, name); other != object {
			text, err := json.Marshal(content)
			if err != nil {
				return nil, fmt.Errorf("encoding %s: %w", object, err)
			}
			var twin any
			if err := json.Unmarshal([]byte(renamed(string(text), name)), &twin); err != nil {
				return nil, fmt.Errorf("reading %s under another name: %w", object, err)
			}
			like[other], originals[other] = twin, object
		}
	}
	for _, d := range snapshot.Between(before, ofFirst) {
		mask(d.Object, d.Path)
	}
	for _, d := range snapshot.Between(like, ofOther) {
		mask(d.Object, d.Path)
		if original := originals[d.Object]; original != "" {
			mask(original, d.Path)
		}
	}
	return all, nil
}

// renamed puts the name of the other object into the place of that of the first one.
func renamed(text, name string) string { return strings.ReplaceAll(text, name, anotherName) }
