package trial

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// HarmAtStart is the path of a Divergence: nothing has happened but that a new process began
// to work, and it writes a child.
const HarmAtStart = "written by a new process"

// startHarm returns the children that a new process writes although nothing else has happened
// since the one before was at rest.
func (r *run) startHarm(account history.Account) []v1alpha1.Divergence {
	last := r.operations[len(r.operations)-1]
	if r.disturbance != nil || last.Restart == nil && last.Failover == nil {
		return nil
	}
	var all []v1alpha1.Divergence
	for _, q := range account.Requests {
		owned := slices.ContainsFunc(q.Owners, func(owner history.Owner) bool { return owner.Controller && r.living[owner.UID] })
		known := slices.ContainsFunc(all, func(d v1alpha1.Divergence) bool { return d.Object == objectOf(q) })
		if q.Seq <= r.after || !owned || known || q.Bystander || q.Verb != history.VerbUpdate || q.Subresource != "" ||
			q.Effect != history.EffectEffective || !history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		all = append(all, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceHarm, Object: objectOf(q), Path: HarmAtStart,
			Expected: "a new process writes nothing if nothing has changed", Found: q.InWords(),
		})
	}
	return all
}
