package explore

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// besideLate is the sort of plans in which what must be there beside the object comes after it.
const besideLate = "beside-late"

// latePlans create the object while what must be there beside it is missing, and then that. Who
// applies a folder of manifests gives no order. All must be as if it had been there before.
func latePlans(recorded map[string]*Recording, operations []Operation, t *Target) ([]*Plan, error) {
	create := recorded["create"]
	disturbed := slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == "create" })
	if create == nil || !disturbed || len(t.Beside) == 0 || t.Profile.HasContract() && !t.Profile.Has(v1alpha1.FeatureDependency) {
		return nil, nil
	}
	late := *create
	late.Steps = slices.Clone(create.Steps)
	var names []string
	for _, object := range t.Beside {
		resource, err := t.resourceOf(object.GroupVersionKind().GroupKind())
		if err != nil {
			return nil, err
		}
		target := v1alpha1.TrialTarget{Resource: resource.String(), Name: object.GetName()}
		content, err := encode(object.Object)
		if err != nil {
			return nil, err
		}
		late.Steps = slices.Insert(late.Steps, 0, v1alpha1.TrialOperation{Delete: &target})
		late.Steps = append(late.Steps, v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: content}})
		names = append(names, target.Resource+" "+target.Name)
	}
	plan := late.plan(besideLate, "all", "before it", strings.Join(names, ", ")+" comes only after it; all must be as if it had come before")
	plan.Undisturbed.Writes = 0 // each of its attempts may tell of what is missing
	return []*Plan{plan}, nil
}

// resourceOf returns the resource of a kind: as a CRD of the profile names it, or, of Kubernetes' own
// kinds, by their rule.
func (t *Target) resourceOf(kind schema.GroupKind) (schema.GroupResource, error) {
	crds, err := t.Profile.CRDs()
	if err != nil {
		return schema.GroupResource{}, err
	}
	for _, crd := range crds {
		if crd.Spec.Group == kind.Group && crd.Spec.Names.Kind == kind.Kind {
			return schema.GroupResource{Group: kind.Group, Resource: crd.Spec.Names.Plural}, nil
		}
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind.WithVersion(""))
	return plural.GroupResource(), nil
}
