package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/record/history"
)

// writesBystander says whether the controller wrote an object that looks like a child and
// belongs to somebody else.
func writesBystander(requests []history.Request) bool {
	return slices.ContainsFunc(requests, func(q history.Request) bool {
		return q.Bystander && q.IsWrite() && q.Effect == history.EffectEffective
	})
}

// twoConditions is the sort of plans that tell of two conditions of one type.
const twoConditions = "two-conditions"

// oncePlans say of what no controller may do, and what it did without a disturbance, that it must not:
// it wrote a bystander, or its status has two conditions of one type. Each is said of the first
// operation in which it did. What also happens without a disturbance accuses nobody in other plans,
// because the disturbance is not its cause; here there is none.
func oncePlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	var all []*Plan
	once := func(sort, how, path string, shows func(*Recording) bool) {
		for _, o := range operations {
			if r := recorded[o.Name]; r != nil && shows(r) {
				plan := r.plan(sort, "all", "without a disturbance", how)
				plan.Shown, plan.Undisturbed.Harms = true, withoutHarm(plan.Undisturbed.Harms, path)
				all = append(all, plan)
				return
			}
		}
	}
	once("bystanders", "no object of somebody else may be written", v1alpha1.RuleForeignObject, func(r *Recording) bool { return r.Bystander })
	once(twoConditions, "the status must have one condition of each type", trial.HarmTwoConditions, func(r *Recording) bool {
		return slices.ContainsFunc(r.Undisturbed.Harms, func(harm v1alpha1.TrialMask) bool { return harm.Path == trial.HarmTwoConditions })
	})
	return all
}

// withoutHarm leaves one kind of harm out of what is usual.
func withoutHarm(usual []v1alpha1.TrialMask, path string) []v1alpha1.TrialMask {
	return slices.DeleteFunc(usual, func(harm v1alpha1.TrialMask) bool { return harm.Path == path })
}
