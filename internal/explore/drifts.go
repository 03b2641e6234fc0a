package explore

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// In driftPlans somebody else changes all fields of a child that the controller set, or its
// labels, or adds a label to its selector. All must be as after the creation. The operation changes
// the first field only. Which fields a controller need not put back is only known from a contract.
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
		child := r.Steps[len(r.Steps)-1].Drift.TrialTarget
		instead := func(how string, step v1alpha1.TrialOperation) {
			changed := *r
			changed.Steps = append(slices.Clone(r.Steps[:len(r.Steps)-1]), step)
			plan := changed.planAsCreated(create, "all-changed", o.About, how+"; all must be as after the creation")
			plan.Undisturbed.Writes = 0 // each change may be put back by itself
			all = append(all, plan)
		}
		instead("all fields that it set were changed", v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: child, Fields: v1alpha1.DriftAll}})
		instead("all labels that it set were changed", v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: child, Fields: v1alpha1.DriftLabels}})
		if patch := moreInSelector(child.Resource); patch != "" {
			instead("its selector got one more label, so that it selects nothing", v1alpha1.TrialOperation{
				Patch: &v1alpha1.TrialPatch{TrialTarget: child, Patch: apiextensionsv1.JSON{Raw: []byte(patch)}},
			})
		}
	}
	return all
}

// moreInSelector returns a patch that adds a label to the selector of a child, or "" if its kind has
// no selector that can be changed. A selector has one owner as a whole, unlike labels and annotations,
// so what somebody else adds to it must go.
func moreInSelector(resource string) string {
	const more = `{"reconform.dev/of-others": "true"}`
	switch resource {
	case "services":
		return `{"spec": {"selector": ` + more + `}}`
	case "poddisruptionbudgets.policy":
		return `{"spec": {"selector": {"matchLabels": ` + more + `}}}`
	case "networkpolicies.networking.k8s.io":
		return `{"spec": {"podSelector": {"matchLabels": ` + more + `}}}`
	}
	return ""
}
