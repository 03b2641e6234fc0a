package explore

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// In toldPlans somebody else edits the status before the first edit that is recorded. A
// controller computes its status from what is there, and compares it with what the object has.
// One that compares it with what it wrote last leaves it wrong. This needs a contract, because
// only then it is known what a field of the status means.
func toldPlans(recorded map[string]*Recording, operations []Operation, t *Target) ([]*Plan, error) {
	field, value := toldField(t.Profile)
	if field == nil || strings.ContainsAny(field.Path, "[]") {
		return nil, nil // an entry of a list is not written by itself
	}
	fields := map[string]any{}
	if err := unstructured.SetNestedField(fields, value, strings.Split(field.Path, ".")...); err != nil {
		return nil, fmt.Errorf("making an edit of %s: %w", field.Path, err)
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
		return []*Plan{told.plan("status-edited", t.Resource+"/status", "before it", fmt.Sprintf("somebody else sets %s to %v; all must be as without that", field.Path, value))}, nil
	}
	return nil, nil
}

// toldField returns a field of the status, and a value that is wrong for each sample. An edit
// of the image changes the number of ready Pods for a moment, after which each controller
// writes it; it does not change the address of the Service.
func toldField(p *profile.Profile) (field *v1alpha1.Field, wrong any) {
	switch {
	case !p.HasContract() || !p.Has(v1alpha1.FeatureStatus):
		return nil, nil
	case p.Spec.Contract.Status.ServiceURL != nil:
		return p.Spec.Contract.Status.ServiceURL, "http://nowhere.invalid"
	case p.Spec.Contract.Status.ReadyReplicas != nil:
		return p.Spec.Contract.Status.ReadyReplicas, int64(42)
	}
	return nil, nil
}
