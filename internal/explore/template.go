package explore

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/profile"
)

// templateKept is the sort of plans in which somebody else adds to the Pod template of a child.
const templateKept = "template-kept"

// templatePlans: somebody else adds an annotation and a toleration to the Pod template of a
// workload before each edit that changes the template. Both must still be there after the
// edit: kubectl rollout restart adds an annotation, too. No status is compared, because there
// is one more rollout. The profile must claim that the controller keeps what others set there.
func templatePlans(recorded map[string]*Recording, operations []Operation, p *profile.Profile) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil || !p.HasContract() || !p.Has(v1alpha1.FeatureForeignFields) {
		return nil, nil
	}
	resource, at := p.WorkloadResource().String(), strings.Split(p.Workload().PodTemplate, ".")
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil || o.sort() != "edit" {
			continue
		}
		states, err := outcomesOf(create, r)
		if err != nil {
			return nil, err
		}
		before, after := states[0], states[1]
		for _, object := range slices.Sorted(maps.Keys(after)) {
			was, is := templateOf(before[object], at), templateOf(after[object], at)
			if resourceIn(object) != resource || was == nil || reflect.DeepEqual(was, is) {
				continue
			}
			plan, err := r.templatePlan(object, after, at, addedTo(was, is))
			if err != nil {
				return nil, err
			}
			all = append(all, plan)
		}
	}
	return all, nil
}

// templatePlan is one such plan. The Pod template is at a path of the object.
func (r *Recording) templatePlan(object string, outcome map[string]any, at []string, added map[string]any) (*Plan, error) {
	patch := map[string]any{}
	if err := unstructured.SetNestedMap(patch, added, at...); err != nil {
		return nil, fmt.Errorf("making a change of %s: %w", object, err)
	}
	content, _ := outcome[object].(map[string]any)
	outcome[object] = profile.Merged(content, patch)
	expected, err := encode(outcome)
	if err != nil {
		return nil, err
	}
	encoded, err := encode(patch)
	if err != nil {
		return nil, err
	}
	resource, name, _ := strings.Cut(object, " ")
	changed := *r
	changed.Steps = slices.Insert(slices.Clone(r.Steps), len(r.Steps)-1, v1alpha1.TrialOperation{
		Patch: &v1alpha1.TrialPatch{TrialTarget: v1alpha1.TrialTarget{Resource: resource, Name: name}, Patch: encoded},
	})
	plan := changed.plan(templateKept, resource, "before it", "somebody else adds to the Pod template of "+object+"; what was added must stay")
	plan.Undisturbed.Objects = string(expected.Raw)
	plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, v1alpha1.TrialMask{Object: "*", Path: "status"})
	return plan, nil
}

// addedTo returns what somebody else adds to a Pod template. There is no toleration if the template
// has tolerations before an edit or after it, as the list is the controller's then.
func addedTo(templates ...map[string]any) map[string]any {
	added := map[string]any{"metadata": map[string]any{"annotations": map[string]any{trial.Marked: snapshot.Hidden}}}
	for _, template := range templates {
		if _, its, _ := unstructured.NestedFieldNoCopy(template, "spec", "tolerations"); its {
			return added
		}
	}
	added["spec"] = map[string]any{"tolerations": []any{map[string]any{"key": trial.Marked, "operator": "Exists"}}}
	return added
}

// templateOf returns the Pod template of an object of an outcome, or nil.
func templateOf(object any, at []string) map[string]any {
	fields, _ := object.(map[string]any)
	template, _, _ := unstructured.NestedMap(fields, at...)
	return template
}
