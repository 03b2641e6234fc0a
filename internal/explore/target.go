package explore

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile"
)

// Target is what is explored: an object of the controller, and what a user changes in it.
// If the controller serves several resources, it is about the first, and Others are about
// the rest.
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
	Edits []profile.Edit
	// Another is another object of its kind, after what must be there beside that one. It is
	// empty if there can be only one.
	Another []*unstructured.Unstructured
	// AnotherEdits are changes of that other object.
	AnotherEdits []profile.Edit
	// Long are two more objects of its kind, with long names that begin alike, and what must be
	// there beside them. It is empty if there can be only one.
	Long []*unstructured.Unstructured
	// Others are targets of the same controller for the other resources that it serves.
	Others []*Target

	// called is a part of the names of operations that are about another resource than the
	// first: the plural of that resource. It is empty for the first.
	called string
}

// sampleName is the name of the object, unless all objects must have another one.
const sampleName = "demo"

// FromProfile makes a target of what the controller of a profile serves, with or without a
// contract.
func FromProfile(p *profile.Profile) (*Target, error) {
	served, err := p.Served()
	if err != nil {
		return nil, err
	}
	t, err := ofServed(p, served[0])
	if err != nil {
		return nil, err
	}
	for _, more := range served[1:] {
		other, err := ofServed(p, more)
		if err != nil {
			return nil, err
		}
		other.called = more.Resource.Plural
		t.Others = append(t.Others, other)
	}
	return t, nil
}

// ofServed makes a target of one resource.
func ofServed(p *profile.Profile, served profile.Served) (t *Target, err error) {
	name := sampleName
	if fixed := p.FixedName(); fixed != "" {
		name = fixed
	}
	t = &Target{Profile: p, Resource: strings.TrimSuffix(served.Resource.Plural+"."+served.Resource.Group, ".")}
	if t.Sample, err = served.Object(name); err != nil {
		return nil, fmt.Errorf("making the sample: %w", err)
	}
	if t.Beside, err = served.Beside(name); err != nil {
		return nil, err
	}
	if t.Edits, err = served.Edits(name); err != nil {
		return nil, err
	}
	for _, last := range []string{"1", "2"} {
		long, err := besideOf(p, served, longName(last), slices.Concat(t.Beside, t.Long))
		if err != nil {
			return nil, err
		}
		t.Long = append(t.Long, long...)
	}
	if t.Another, err = besideOf(p, served, anotherName, t.Beside); err != nil || len(t.Another) == 0 {
		return t, err
	}
	t.AnotherEdits, err = served.Edits(anotherName)
	return t, err
}
