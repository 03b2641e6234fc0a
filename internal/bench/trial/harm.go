package trial

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// judged are the invariants that a Trial judges. The others are about rights, which a
// disturbance may change, and about rest, which it judges by itself.
func judged(rule string) bool {
	return slices.Contains([]string{
		v1alpha1.RuleNotLeader, v1alpha1.RuleForeignObject, v1alpha1.RuleChildReplaced, v1alpha1.RuleGenerationRaised, v1alpha1.RuleCrashed, v1alpha1.RuleDisowned,
		v1alpha1.RuleHotLoop,
	}, rule)
}

// harm returns what must never happen, and does not happen without the disturbance.
func (r *run) harm(account history.Account) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	view := invariant.NewView(r.contract(), r.Recorder.Account(r.namespace))
	view.After = r.begun
	for _, violation := range invariant.Check(view) {
		if judged(violation.Rule) {
			all = append(all, v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: violation.About, Path: violation.Rule, Found: violation.Message})
		}
	}
	all = append(all, slices.Concat(twiceHarm(account), r.blindHarm(account))...)
	if r.spec.Undisturbed == nil {
		return all
	}
	for _, q := range account.Requests {
		object := objectOf(q)
		lives := slices.ContainsFunc(q.Owners, func(owner history.Owner) bool { return owner.Controller && r.living[owner.UID] })
		if !deletes(q) || q.Bystander || !lives || expects(r.spec.Undisturbed.Deletions, object) {
			continue
		}
		all = append(all, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceHarm, Object: object, Path: "deletion", Expected: "a child of an object that lives is not deleted", Found: q.InWords(),
		})
	}
	return append(all, r.startHarm(account)...)
}

// contract is what the invariants need to know. Without a contract in the profile, the
// children are all that is part of the outcome and that the controller does not serve.
func (r *run) contract() invariant.Contract {
	p := r.Profile(r.namespace)
	contract := invariant.ContractOf(p)
	if p.HasContract() {
		return contract
	}
	for _, name := range r.spec.Resources {
		resource := schema.ParseGroupResource(name)
		if resource != contract.Primary && !slices.Contains(contract.Inputs, resource) {
			contract.Children = append(contract.Children, resource)
		}
	}
	return contract
}

// seenHarm returns what users saw on the way, or could not see.
func (r *run) seenHarm(ctx context.Context, account history.Account, names history.Generated) ([]v1alpha1.Divergence, error) {
	told, err := r.eventHarm(ctx, account, r.versions)
	if err != nil {
		return nil, err
	}
	return slices.Concat(r.statusHarm(r.versions), r.behindHarm(account, r.versions, names), ownerHarm(r.versions, r.living), adoptedHarm(r.versions), selectsHarm(r.versions, r.created()), mixedHarm(r.versions, r.created()), told), nil
}

// withoutUsual leaves out the harm that is done without the disturbance, too: the
// disturbance is not its cause. What comes after its finalizer is told nevertheless,
// because how it ends depends on chance only.
func withoutUsual(all []v1alpha1.Divergence, undisturbed *v1alpha1.TrialUndisturbed, names history.Generated) []v1alpha1.Divergence {
	if undisturbed == nil {
		return all
	}
	return slices.DeleteFunc(all, func(d v1alpha1.Divergence) bool {
		object := names.Object(d.Object)
		return d.Kind == v1alpha1.DivergenceHarm && d.Path != HarmLateCleanup && slices.ContainsFunc(undisturbed.Harms, func(usual v1alpha1.TrialMask) bool {
			return usual.Path == d.Path && (usual.Object == object || expects([]string{usual.Object}, object))
		})
	})
}

// HarmsOf returns the harm among the divergences of a Trial that nobody disturbed, each
// once, as it is usual then. What is about no object cannot be written into another
// Trial.
func HarmsOf(divergences []v1alpha1.Divergence) []v1alpha1.TrialMask {
	var all []v1alpha1.TrialMask
	for _, d := range divergences {
		harm := v1alpha1.TrialMask{Object: d.Object, Path: d.Path}
		if d.Kind == v1alpha1.DivergenceHarm && d.Object != "" && !slices.Contains(all, harm) {
			all = append(all, harm)
		}
	}
	return all
}
