package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// writesBystander says whether the controller wrote an object that looks like a child and
// belongs to somebody else.
func writesBystander(requests []history.Request) bool {
	return slices.ContainsFunc(requests, func(q history.Request) bool {
		return q.Bystander && q.IsWrite() && q.Effect == history.EffectEffective
	})
}

// bystanderPlans say of the first operation in which a bystander was written that none may be.
// What also happens without a disturbance accuses nobody in other plans, because the
// disturbance is not its cause; here there is none.
func bystanderPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || !r.Bystander {
			continue
		}
		plan := r.plan("bystanders", "all", "without a disturbance", "no object of somebody else may be written")
		plan.Shown, plan.Undisturbed.Harms = true, withoutForeign(plan.Undisturbed.Harms)
		return []*Plan{plan}
	}
	return nil
}

// withoutForeign leaves out of the usual harm what was done to objects of somebody else.
func withoutForeign(usual []v1alpha1.TrialMask) []v1alpha1.TrialMask {
	return slices.DeleteFunc(usual, func(harm v1alpha1.TrialMask) bool { return harm.Path == v1alpha1.RuleForeignObject })
}
