package profile

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Served is a resource that the controller serves: what to create, and what to change. It
// comes from a profile's contract, or from its serves.
type Served struct {
	// Resource that the controller serves.
	Resource v1alpha1.ServedResource

	// object is the sample without apiVersion, kind and name. beside are the other objects that
	// it needs. Strings in all of them are templates over .name. edits has the object after each
	// edit.
	object map[string]any
	beside []map[string]any
	edits  []edited
}

// edited is the sample after an edit.
type edited struct {
	name   string
	object map[string]any
}

// Edit is a change of a served object, and the change that undoes it. Both are JSON merge
// patches.
type Edit struct {
	Name        string
	Patch, Undo map[string]any
}

// Served returns the resources that the controller serves, at least one, whether the
// profile has a contract or not. Scenarios use the first.
func (p *Profile) Served() ([]Served, error) {
	if p.HasContract() {
		served, err := p.servedByContract()
		return []Served{served}, err
	}
	if len(p.served) == 0 {
		return nil, fmt.Errorf("%s has no contract, and serves nothing", p.File)
	}
	return p.served, nil
}

// HasContract tells whether the profile maps the controller to the reference contract. If
// it does not, it says what the controller serves. Its Spec.Contract then has only the
// resource of the first of them, and what every object of it has.
func (p *Profile) HasContract() bool { return len(p.Spec.Serves) == 0 }

// GroupVersionKind returns the kind of the objects.
func (s Served) GroupVersionKind() apischema.GroupVersionKind {
	return apischema.GroupVersionKind{Group: s.Resource.Group, Version: s.Resource.Version, Kind: s.Resource.Kind}
}

// Object returns an object with this name that is like the sample, without a namespace. It
// is a new one each time.
func (s Served) Object(name string) (*unstructured.Unstructured, error) {
	return s.named(s.object, name)
}

// Beside returns the other objects that the object with this name needs, in the order in which
// they are to be created, without namespaces.
func (s Served) Beside(name string) ([]*unstructured.Unstructured, error) {
	var beside []*unstructured.Unstructured
	for _, object := range s.beside {
		filled, err := expandAll(runtime.DeepCopyJSON(object), map[string]any{"name": name})
		if err != nil {
			return nil, fmt.Errorf("making what must be beside %s: %w", name, err)
		}
		beside = append(beside, &unstructured.Unstructured{Object: filled.(map[string]any)})
	}
	return beside, nil
}

// BesideEach says whether the other objects that an object needs depend on its name, so that each
// object needs its own.
func (s Served) BesideEach() bool {
	return slices.ContainsFunc(s.beside, func(object map[string]any) bool { return hasTemplate(object) })
}

// Edits returns the edits of the object with this name. Each is an edit of the object as it
// was created.
func (s Served) Edits(name string) ([]Edit, error) {
	before, err := s.Object(name)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	for _, edited := range s.edits {
		after, err := s.named(edited.object, name)
		if err != nil {
			return nil, fmt.Errorf("making edit %s: %w", edited.name, err)
		}
		edits = append(edits, Edit{Name: edited.name, Patch: Difference(before.Object, after.Object), Undo: Difference(after.Object, before.Object)})
	}
	return edits, nil
}

func (s Served) named(object map[string]any, name string) (*unstructured.Unstructured, error) {
	filled, err := expandAll(runtime.DeepCopyJSON(object), s.data(name))
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", name, err)
	}
	o := &unstructured.Unstructured{Object: filled.(map[string]any)}
	o.SetGroupVersionKind(s.GroupVersionKind())
	o.SetName(name)
	return o, nil
}

// hasTemplate says whether a text in a value depends on the name of an object.
func hasTemplate(value any) bool {
	return AnyText(value, func(text string) bool {
		return strings.Contains(text, "{{") && filledIn(text, "a") != filledIn(text, "b")
	})
}
