package explore

import (
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers whole

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// smallerObjects returns the plans in which the object has fewer fields: without all fields of its
// spec that the CRD does not require, and without each of them. For a plan without a disturbance
// there are none: what it expects comes from other operations with the whole object.
func (t *Target) smallerObjects(p *Plan) []candidate {
	if p.Disturb == nil {
		return nil
	}
	spec, _, _ := unstructured.NestedMap(t.createdBy(p.Operation), "spec")
	fields := optional(t.specSchema(), spec, []string{"spec"})
	var all []candidate
	if len(fields) > 1 {
		all = append(all, t.withoutFields(p, fields))
	}
	for _, field := range fields {
		all = append(all, t.withoutFields(p, [][]string{field}))
	}
	return all
}

// createdBy returns the object of the target as an operation creates it, or nil.
func (t *Target) createdBy(o Operation) map[string]any {
	for _, step := range o.Steps {
		if step.Create == nil {
			continue
		}
		if object, own := t.isOwn(step.Create); own {
			return object
		}
	}
	return nil
}

// isOwn returns an object that is created, and whether it is that of the target.
func (t *Target) isOwn(created *v1alpha1.TrialObject) (map[string]any, bool) {
	object := unstructured.Unstructured{}
	if json.Unmarshal(created.Object.Raw, &object.Object) != nil {
		return nil, false
	}
	return object.Object, object.GetKind() == t.Sample.GetKind() && object.GetName() == t.Sample.GetName()
}

// specSchema returns the schema of the spec, or nil if it is not known. Then the API server refuses
// what must not be left out.
func (t *Target) specSchema() *apiextensionsv1.JSONSchemaProps {
	crds, err := t.Profile.CRDs()
	if err != nil {
		return nil
	}
	for _, crd := range crds {
		if crd.Spec.Names.Plural+"."+crd.Spec.Group != t.Resource {
			continue
		}
		for i, version := range crd.Spec.Versions {
			if version.Name == t.Sample.GroupVersionKind().Version {
				return profile.SchemaAt(&crd.Spec.Versions[i], "spec")
			}
		}
	}
	return nil
}

// optional returns the paths of the fields that a schema does not require. What it requires stays,
// and the fields in it that it does not require are among them.
func optional(schema *apiextensionsv1.JSONSchemaProps, fields map[string]any, at []string) [][]string {
	var all [][]string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		path := append(slices.Clone(at), name)
		if schema == nil || !slices.Contains(schema.Required, name) {
			all = append(all, path)
			continue
		}
		if below, ok := fields[name].(map[string]any); ok {
			if property, known := schema.Properties[name]; known {
				all = append(all, optional(&property, below, path)...)
			}
		}
	}
	return all
}

// withoutFields returns a plan whose object does not have some fields, wherever it is created.
func (t *Target) withoutFields(p *Plan, fields [][]string) candidate {
	smaller := *p
	smaller.Smaller = true
	smaller.Operation.Steps = slices.Clone(p.Operation.Steps)
	smaller.Disturb = p.Disturb.DeepCopy()
	for i, step := range smaller.Operation.Steps {
		step = *step.DeepCopy()
		t.cut(&step, fields)
		smaller.Operation.Steps[i] = step
	}
	t.cut(smaller.Disturb.Meanwhile, fields)
	var paths []string
	for _, field := range fields {
		paths = append(paths, strings.Join(field, "."))
	}
	return candidate{&smaller, strings.Join(paths, ", ") + " of the object"}
}

// cut leaves fields out of the object of the target, if a step creates it.
func (t *Target) cut(step *v1alpha1.TrialOperation, fields [][]string) {
	if step == nil {
		return
	}
	for _, created := range []*v1alpha1.TrialObject{step.Create, step.Recreate} {
		if created == nil {
			continue
		}
		object, own := t.isOwn(created)
		if !own {
			continue
		}
		for _, field := range fields {
			unstructured.RemoveNestedField(object, field...)
		}
		if encoded, err := encode(object); err == nil {
			created.Object = encoded
		}
	}
}

// size is how much the objects are that an operation creates.
func (o Operation) size() int {
	size := 0
	for _, step := range o.Steps {
		if step.Create != nil {
			size += len(step.Create.Object.Raw)
		}
	}
	return size
}
