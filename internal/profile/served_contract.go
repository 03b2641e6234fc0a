package profile

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// servedByContract returns what the controller serves, by its contract: the sample is an
// object as scenarios write it, and each mapped field that can be changed is an edit. If the
// contract maps configMapRef, the sample names a ConfigMap, which is beside it, and another
// edit takes that away.
func (p *Profile) servedByContract() (Served, error) {
	s := Served{Resource: v1alpha1.ServedResource(p.Spec.Contract.Resource)}
	base, err := p.rawBase()
	if err != nil {
		return s, err
	}
	root, err := p.rawRoot()
	if err != nil {
		return s, err
	}
	s.object = root
	s.object["spec"] = base
	changes, err := p.changes()
	if err != nil {
		return s, err
	}
	for _, change := range changes {
		if change.before != nil {
			put(s.object, Steps(change.path), change.before)
		}
	}
	s.nameConfigMap(p.Spec.Contract.Spec.ConfigMapRef)
	for _, change := range changes {
		if change.after == nil {
			continue
		}
		object := runtime.DeepCopyJSON(s.object)
		put(object, Steps(change.path), change.after)
		s.edits = append(s.edits, edited{name: change.name, object: object})
	}
	s.unnameConfigMap(p.Spec.Contract.Spec.ConfigMapRef)
	return s, nil
}

// nameConfigMap has the sample name a ConfigMap of its own in this field, unless that is nil.
func (s *Served) nameConfigMap(field *v1alpha1.Field) {
	if field == nil || field.Path == "" {
		return
	}
	path := field.Path + ".name"
	if field.As == v1alpha1.AsName {
		path = field.Path
	}
	const name = "{{ .name }}-config"
	put(s.object, Steps(path), name)
	s.beside = append(s.beside, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "data": map[string]any{"GREETING": "hello"},
	})
}

// unnameConfigMap adds an edit after which the sample names no ConfigMap, if it names one. An
// entry of a list is not taken away.
func (s *Served) unnameConfigMap(field *v1alpha1.Field) {
	if len(s.beside) == 0 || field.Immutable || strings.Contains(field.Path, First) {
		return
	}
	object := runtime.DeepCopyJSON(s.object)
	unstructured.RemoveNestedField(object, Steps(field.Path)...)
	s.edits = append(s.edits, edited{name: "configMapRef", object: object})
}

// change of a mapped field, from one value to another. before is nil if the field is not
// given at first, and after is nil if the field cannot be changed.
type change struct {
	name, path    string
	before, after any
}

// changes returns the changes of the mapped fields.
func (p *Profile) changes() ([]change, error) {
	var changes []change
	fields := p.SpecFields()
	for _, name := range []string{"image", "replicas", "port", "deploymentName", "env"} {
		field := fields[name]
		if field.Path == "" {
			continue
		}
		before, after, err := p.valuesOf(name, field)
		if err != nil {
			return nil, err
		}
		if field.Immutable || before == after {
			after = nil
		}
		changes = append(changes, change{name: name, path: field.Path, before: before, after: after})
		if name == "env" {
			changes[len(changes)-1] = change{name: name, path: field.Path, after: variables(field)}
		}
	}
	return changes, nil
}

// valuesOf returns two values of a field that an object may have.
func (p *Profile) valuesOf(name string, field v1alpha1.Field) (before, after any, err error) {
	bounds := p.Spec.Contract.Bounds
	switch name {
	case "image":
		one, err := p.FormattedImage("registry.example/demo:v1")
		if err != nil {
			return nil, nil, err
		}
		two, err := p.FormattedImage("registry.example/demo:v2")
		return EscapeTemplates(one), EscapeTemplates(two), err
	case "replicas":
		few, more := twoNumbers(2, field.Values, bounds.Replicas)
		if field.Format == "" {
			return few, more, nil
		}
		one, err := p.Formatted(strconv.FormatInt(few, 10))
		if err != nil {
			return nil, nil, err
		}
		two, err := p.Formatted(strconv.FormatInt(more, 10))
		return EscapeTemplates(one), EscapeTemplates(two), err
	case "port":
		one, other := twoNumbers(8080, nil, bounds.Port)
		return one, other, nil
	case "deploymentName":
		return "{{ .name }}-app", nil, nil
	}
	return nil, nil, nil
}

// twoNumbers returns a number and the next, as far as the values or the bounds allow it.
// They are equal if only one is allowed.
func twoNumbers(number int64, values []int32, bounds *v1alpha1.Range) (one, other int64) {
	if len(values) > 0 {
		i, _ := slices.BinarySearch(values, int32(number))
		i = max(0, min(i, len(values)-2))
		return int64(values[i]), int64(values[min(i+1, len(values)-1)])
	}
	if bounds == nil {
		return number, number + 1
	}
	one = max(int64(bounds.Minimum), min(number, int64(bounds.Maximum)-1))
	return one, min(one+1, int64(bounds.Maximum))
}

// variables returns a value of the environment of a container.
func variables(field v1alpha1.Field) any {
	switch {
	case field.Immutable:
		return nil
	case field.As == v1alpha1.AsList:
		return []any{map[string]any{"name": "GREETING", "value": "hello"}}
	}
	return map[string]any{"GREETING": "hello"}
}

// put sets a value at some steps below an object. Maps, and lists of one element, are
// created on the way.
func put(object map[string]any, steps []string, value any) {
	if len(steps) == 1 {
		object[steps[0]] = value
		return
	}
	if steps[1] != First {
		below, ok := object[steps[0]].(map[string]any)
		if !ok {
			below = map[string]any{}
			object[steps[0]] = below
		}
		put(below, steps[1:], value)
		return
	}
	items, _ := object[steps[0]].([]any)
	if len(items) == 0 {
		items = []any{map[string]any{}}
	}
	object[steps[0]] = items
	if len(steps) == 2 {
		items[0] = value
		return
	}
	first, ok := items[0].(map[string]any)
	if !ok {
		first = map[string]any{}
		items[0] = first
	}
	put(first, steps[2:], value)
}
