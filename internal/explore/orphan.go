package explore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// orphanPlans delete the object, and its children stay. What becomes of these is the
// affair of the controller, which may remove them itself. It must not give them the reference
// to the object again: then the garbage collector deletes them.
func orphanPlans(recorded map[string]*Recording, operations []Operation, t *Target) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil {
		return nil, nil
	}
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || o.Name != "delete" {
			continue
		}
		own := t.own()
		objects, err := objectsOf(create)
		if err != nil {
			return nil, err
		}
		delete(objects, own.Resource+" "+own.Name)
		left, err := json.Marshal(objects)
		if err != nil {
			return nil, fmt.Errorf("encoding what an orphaning deletion leaves: %w", err)
		}
		orphaned := *r
		orphaned.Steps = append(slices.Clone(r.Steps[:len(r.Steps)-1]), v1alpha1.TrialOperation{Orphan: &own})
		plan := orphaned.plan("orphaned", "all", "instead of it", "the children are to stay; they must not get their owner again")
		plan.Undisturbed.Objects = string(left)
		for key := range objects {
			plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, v1alpha1.TrialMask{Object: anyEnding(key)})
		}
		slices.SortFunc(plan.Undisturbed.Masks, func(a, b v1alpha1.TrialMask) int {
			return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Path, b.Path))
		})
		return []*Plan{plan}, nil
	}
	return nil, nil
}
