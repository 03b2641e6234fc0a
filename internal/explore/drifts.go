package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// In driftPlans somebody else changes all fields of a child that the controller set, and its
// labels. All must be as after the creation. The operation changes the first field only. Which
// fields a controller need not put back is only known from a contract.
func driftPlans(recorded map[string]*Recording, operations []Operation, contract bool) []*Plan {
	create := recorded["create"]
	if create == nil || !contract {
		return nil
	}
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || o.sort() != "drift" {
			continue
		}
		for _, some := range []struct {
			fields v1alpha1.TrialDriftFields
			how    string
		}{
			{v1alpha1.DriftAll, "all fields that it set were changed; all must be as after the creation"},
			{v1alpha1.DriftLabels, "all labels that it set were changed; all must be as after the creation"},
		} {
			changed := *r
			last := len(r.Steps) - 1
			drift := r.Steps[last].Drift.DeepCopy()
			drift.Fields = some.fields
			changed.Steps = append(slices.Clone(r.Steps[:last]), v1alpha1.TrialOperation{Drift: drift})
			plan := changed.planAsCreated(create, "all-changed", o.About, some.how)
			plan.Undisturbed.Writes = 0 // each change may be put back by itself
			all = append(all, plan)
		}
	}
	return all
}
