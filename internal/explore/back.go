package explore

import (
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/record/history"
)

// back is how the name of an edit ends after which the object is edited back.
const back = "back"

// editsBack returns the edits, each with another one after it that takes it back. They are
// recorded for their outcome. A number of replicas that only grows is not taken back.
func (t *Target) editsBack(operations []Operation) ([]Operation, error) {
	edits := map[string]edit{}
	for _, edit := range t.edits() {
		edits[edit.operation()] = edit
	}
	var all []Operation
	for _, o := range operations {
		edit, is := edits[o.Name]
		if !is || t.growsOnly(edit) {
			continue
		}
		step, err := edit.step(edit.Undo)
		if err != nil {
			return nil, err
		}
		all = append(all, o.after(back, step))
	}
	return all, nil
}

const (
	// editedUnready is the sort of plans in which no Node has room for the Pods of an edit.
	editedUnready = "edited-unready"
	// editedUnseen is the sort of plans in which the watches of the object do not show an edit, but
	// only the object after it was taken back.
	editedUnseen = "edited-unseen"
)

// backPlans say that the children are as after the creation, when an edit was taken back. The first
// edit of the object is also taken back while its Pods cannot start, and before the controller sees
// it.
func backPlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget, contract bool) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil {
		return nil, nil
	}
	var all []*Plan
	first := true
	for _, o := range operations {
		edited, both := recorded[o.Name], recorded[o.Name+" then "+back]
		if edited == nil || both == nil {
			continue
		}
		traces, err := tracesOf(create, edited, both, own)
		if err != nil {
			return nil, err
		}
		plan := both.planAsCreated(create, "edited-back", "all", "the children must be as after the creation")
		plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, traces...)
		all = append(all, plan)
		if !first || o.About != own.Resource {
			continue
		}
		first = false
		all = append(all, plan.unseen(own))
		if !contract {
			continue // a controller may wait for the Pods of one step before it takes the next
		}
		unready, err := plan.unready()
		if err != nil {
			return nil, err
		}
		all = append(all, unready)
	}
	return all, nil
}

// unseen returns the plan with watches of the object that stand still until the edit was taken back.
func (p *Plan) unseen(own v1alpha1.TrialTarget) *Plan {
	unseen := *p
	unseen.Sort, unseen.Kind = editedUnseen, own.Resource
	unseen.Point, unseen.How = "on the watches of "+own.Resource, "they stand still until the edit was taken back, and expire then"
	unseen.Undisturbed = *p.Undisturbed.DeepCopy()
	unseen.Disturb = &v1alpha1.TrialDisturbance{
		From:  int32(len(p.Operation.Steps) - 1), // the edit
		At:    v1alpha1.TrialPoint{Verb: history.VerbWatch, Resource: own.Resource},
		Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{Ends: v1alpha1.FreezeEndsExpired}}},
	}
	return &unseen
}

// unready returns the plan with a LimitRange, from before the edit on, by which new Pods ask for more
// than any Node has. The edit must be taken back although its rollout never ends.
func (p *Plan) unready() (*Plan, error) {
	limits, err := encode(map[string]any{
		"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "no-room"},
		"spec": map[string]any{"limits": []any{map[string]any{"type": "Container", "min": map[string]any{"cpu": "1M"}}}},
	})
	if err != nil {
		return nil, err
	}
	unready := *p
	unready.Sort, unready.Point, unready.How = editedUnready, "before it", "no Node has room for new Pods; the children must be as after the creation"
	unready.Operation.Steps = slices.Insert(slices.Clone(p.Operation.Steps), len(p.Operation.Steps)-2, v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: limits}})
	unready.Undisturbed = *p.Undisturbed.DeepCopy()
	return &unready, nil
}

// tracesOf returns masks for what a sound controller may leave when an edit was taken back:
//
//   - the status;
//   - objects that were made for the edit, which some keep as a history, also in the place of
//     the first ones;
//   - annotations that the edit does not name, which are notes;
//   - numbers that each edit raises;
//   - volume claims, which nobody can make smaller.
func tracesOf(create, edited, both *Recording, own v1alpha1.TrialTarget) ([]v1alpha1.TrialMask, error) {
	states, err := outcomesOf(create, edited, both)
	if err != nil {
		return nil, err
	}
	between := map[v1alpha1.TrialMask]string{}
	for _, d := range snapshot.Between(states[0], states[1]) {
		between[fieldOf(d)] = d.Found
	}
	patch := string(edited.Steps[len(edited.Steps)-1].Patch.Patch.Raw)
	masks := []v1alpha1.TrialMask{{Object: own.Resource + " " + own.Name}, {Object: "*", Path: "status"}, {Object: "persistentvolumeclaims *"}}
	kept := map[string]bool{} // resources of which objects are kept
	differing := snapshot.Between(states[0], states[2])
	for _, d := range differing {
		if d.Kind == v1alpha1.DivergenceExtra {
			kept[resourceOf(d)] = true
			masks = append(masks, v1alpha1.TrialMask{Object: anyEnding(d.Object)})
		}
	}
	for _, d := range differing {
		if d.Kind == v1alpha1.DivergenceMissing && kept[resourceOf(d)] || d.Kind == v1alpha1.DivergenceField && (isNote(d.Path, patch) || isCounter(d, between[fieldOf(d)])) {
			masks = append(masks, fieldOf(d))
		}
	}
	return masks, nil
}

// fieldOf names the field, or the object, that differs.
func fieldOf(d v1alpha1.Divergence) v1alpha1.TrialMask {
	return v1alpha1.TrialMask{Object: d.Object, Path: d.Path}
}

// resourceOf returns the resource of the object that differs.
func resourceOf(d v1alpha1.Divergence) string { return resourceIn(d.Object) }

// resourceIn returns the resource of an object of an outcome.
func resourceIn(object string) string {
	resource, _, _ := strings.Cut(object, " ")
	return resource
}

// isNote tells whether a path is that of an annotation, or of all annotations, that a patch
// does not name.
func isNote(path, patch string) bool {
	_, key, one := strings.Cut(path, "annotations.")
	return one && !strings.Contains(patch, strconv.Quote(key)) || strings.HasSuffix(path, "annotations") && !strings.Contains(patch, `"annotations"`)
}

// isCounter tells whether a field is a number that each edit raises, such as a revision. In a
// label or an annotation it is one if it is greater than at first.
func isCounter(d v1alpha1.Divergence, between string) bool {
	numbers := numbersIn(d.Expected, between, d.Found)
	switch len(numbers) {
	case 3:
		return numbers[0] < numbers[1] && numbers[1] < numbers[2] || isMetadata(d.Path) && numbers[0] < numbers[2]
	case 2: // it is as at first after the edit
		return between == "" && isMetadata(d.Path) && numbers[0] < numbers[1]
	}
	return false
}

// numbersIn returns the numbers among some values.
func numbersIn(values ...string) []float64 {
	var numbers []float64
	for _, text := range values {
		if number, err := strconv.ParseFloat(strings.Trim(text, `"`), 64); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// isMetadata tells whether a path is that of a label or an annotation.
func isMetadata(path string) bool {
	return strings.Contains(path, "labels.") || strings.Contains(path, "annotations.")
}
