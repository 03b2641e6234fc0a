package explore

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// Target is what is explored: an object of the controller, and what a user changes in it.
type Target struct {
	// Profile of the controller: how it is installed and started.
	Profile *profile.Profile
	// Resource of the object, as plural.group.
	Resource string
	// Sample is the object.
	Sample *unstructured.Unstructured
	// Beside are other objects that must be there before.
	Beside []*unstructured.Unstructured
	// Edits are changes of the object.
	Edits []Edit
}

// Edit is one change of an object.
type Edit struct {
	// Name of it, such as the field that it changes.
	Name string
	// Patch is a JSON merge patch.
	Patch map[string]any
}

// sampleName is the name of the object, unless all objects must have another one.
const sampleName = "demo"

// FromProfile makes a target of a profile with a contract: an object as scenarios create
// it, and an edit of each field that the contract maps.
func FromProfile(p *profile.Profile) (*Target, error) {
	resource := p.Spec.Contract.Resource
	t := &Target{Profile: p, Resource: strings.TrimSuffix(resource.Plural+"."+resource.Group, ".")}
	name := sampleName
	if fixed := p.FixedName(); fixed != "" {
		name = fixed
	}
	root, err := p.Root(name)
	if err != nil {
		return nil, err
	}
	base, err := p.Base(name)
	if err != nil {
		return nil, err
	}
	t.Sample = &unstructured.Unstructured{Object: root}
	if len(base) > 0 || len(p.SpecFields()) > 0 {
		t.Sample.Object["spec"] = base
	}
	t.Sample.SetAPIVersion(resource.Group + "/" + resource.Version)
	t.Sample.SetKind(resource.Kind)
	t.Sample.SetName(name)
	values, err := fieldValues(p, name)
	if err != nil {
		return nil, err
	}
	fields := p.SpecFields()
	for _, v := range values {
		if err := put(t.Sample.Object, fields[v.field].Path, v.first); err != nil {
			return nil, fmt.Errorf("making the sample: %w", err)
		}
	}
	for _, v := range values {
		if v.second == nil || fields[v.field].Immutable {
			continue
		}
		edited := runtime.DeepCopyJSON(t.Sample.Object)
		if err := put(edited, fields[v.field].Path, v.second); err != nil {
			return nil, fmt.Errorf("making an edit of %s: %w", v.field, err)
		}
		t.Edits = append(t.Edits, Edit{Name: v.field, Patch: mergePatch(t.Sample.Object, edited)})
	}
	return t, nil
}

// fieldValue is what a field of the contract has first, and after its edit.
type fieldValue struct {
	field         string
	first, second any // second is nil if there is no other value
}

// fieldValues returns the values of the fields that the contract maps.
func fieldValues(p *profile.Profile, name string) ([]fieldValue, error) {
	var all []fieldValue
	fields, bounds := p.SpecFields(), p.Spec.Contract.Bounds
	add := func(field string, first, second any) {
		if fields[field].Path != "" {
			all = append(all, fieldValue{field, first, second})
		}
	}
	images := []string{"registry.example/demo:v1", "registry.example/demo:v2"}
	for i := range images {
		image, err := p.FormattedImage(images[i])
		if err != nil {
			return nil, fmt.Errorf("writing an image: %w", err)
		}
		images[i] = image
	}
	add("image", images[0], images[1])
	replicas, err := replicasOf(p)
	if err != nil {
		return nil, err
	}
	add("replicas", replicas[0], replicas[1])
	ports := numbers(bounds.Port, nil, 8080, 9090)
	add("port", ports[0], ports[1])
	add("deploymentName", name+"-app", nil)
	if env := fields["env"]; env.Path != "" {
		var value any = map[string]any{"EXPLORED": "yes"}
		if env.As == v1alpha1.AsList {
			value = []any{map[string]any{"name": "EXPLORED", "value": "yes"}}
		}
		all = append(all, fieldValue{"env", nil, value})
	}
	return all, nil
}

// replicasOf returns two numbers of replicas, as the field is written.
func replicasOf(p *profile.Profile) ([]any, error) {
	field := p.SpecFields()["replicas"]
	written := numbers(p.Spec.Contract.Bounds.Replicas, field.Values, 2, 3)
	if field.Format == "" {
		return written, nil
	}
	for i, number := range written {
		if number == nil {
			continue
		}
		text, err := p.Formatted(fmt.Sprint(number))
		if err != nil {
			return nil, fmt.Errorf("writing replicas: %w", err)
		}
		written[i] = text
	}
	return written, nil
}

// numbers returns two numbers that are allowed, the second nil if there is only one.
func numbers(bounds *v1alpha1.Range, values []int32, first, second int64) []any {
	if len(values) > 0 {
		first = int64(values[0])
		if second = first; len(values) > 1 {
			second = int64(values[1])
		}
	}
	inside := func(n int64) int64 {
		if bounds == nil {
			return n
		}
		return min(max(n, int64(bounds.Minimum)), int64(bounds.Maximum))
	}
	first, second = inside(first), inside(second)
	if first == second {
		if second = inside(first - 1); second == first {
			return []any{first, nil}
		}
	}
	return []any{first, second}
}

// put sets a field of an object. A nil value leaves it as it is.
func put(object map[string]any, path string, value any) error {
	if value == nil {
		return nil
	}
	return putAt(object, profile.Steps(path), value)
}

func putAt(fields map[string]any, steps []string, value any) error {
	key := steps[0]
	if len(steps) == 1 {
		fields[key] = value
		return nil
	}
	if steps[1] == profile.First {
		list, _ := fields[key].([]any)
		if len(list) == 0 {
			list = []any{map[string]any{}}
		}
		fields[key] = list
		if len(steps) == 2 {
			list[0] = value
			return nil
		}
		entry, ok := list[0].(map[string]any)
		if !ok {
			return fmt.Errorf("the first entry of %s is no object", key)
		}
		return putAt(entry, steps[2:], value)
	}
	below, ok := fields[key].(map[string]any)
	if !ok && fields[key] != nil {
		return fmt.Errorf("%s is no object", key)
	}
	if !ok {
		below = map[string]any{}
		fields[key] = below
	}
	return putAt(below, steps[1:], value)
}

// mergePatch returns the JSON merge patch from one object to another. Lists are replaced.
func mergePatch(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range from {
		if _, there := to[key]; !there {
			patch[key] = nil
		}
	}
	for key, value := range to {
		before, there := from[key]
		was, first := before.(map[string]any)
		is, second := value.(map[string]any)
		switch {
		case there && first && second:
			if below := mergePatch(was, is); len(below) > 0 {
				patch[key] = below
			}
		case !there || !same(before, value):
			patch[key] = value
		}
	}
	return patch
}
