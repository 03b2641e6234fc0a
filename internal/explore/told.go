package explore

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// untrue is a number of ready Pods that no sample has.
const untrue = 42

// toldPlans have somebody else edit the status before the first edit that is recorded: the
// controller computes its status from what is there, and compares it with what the object
// has. Whoever compares it with what it wrote last leaves it wrong. This needs a contract that
// maps the number of ready Pods, because only then it is known what is wrong.
func toldPlans(recorded map[string]*Recording, operations []Operation, t *Target) ([]*Plan, error) {
	if !t.Profile.HasContract() || !t.Profile.Has(v1alpha1.FeatureStatus) || t.Profile.Spec.Contract.Status.ReadyReplicas == nil {
		return nil, nil
	}
	path := t.Profile.Spec.Contract.Status.ReadyReplicas.Path
	fields := map[string]any{}
	if err := unstructured.SetNestedField(fields, int64(untrue), strings.Split(path, ".")...); err != nil {
		return nil, nil // a path that is no plain one
	}
	patch, err := encode(fields)
	if err != nil {
		return nil, err
	}
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || o.sort() != "edit" || len(r.Writes) == 0 || o.About != t.Resource {
			continue
		}
		told := *r
		told.Steps = slices.Insert(slices.Clone(r.Steps), len(r.Steps)-1, v1alpha1.TrialOperation{
			Patch: &v1alpha1.TrialPatch{TrialTarget: t.own(), Subresource: "status", Patch: patch},
		})
		return []*Plan{told.plan("status-edited", t.Resource+"/status", "before it", "somebody else sets "+path+" to 42; all must be as without that")}, nil
	}
	return nil, nil
}
