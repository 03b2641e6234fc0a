package explore

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	Edits []profile.Edit
}

// sampleName is the name of the object, unless all objects must have another one.
const sampleName = "demo"

// FromProfile makes a target of the first resource that the controller of a profile serves,
// with or without a contract.
func FromProfile(p *profile.Profile) (*Target, error) {
	served, err := p.Served()
	if err != nil {
		return nil, err
	}
	first := served[0]
	name := sampleName
	if fixed := p.FixedName(); fixed != "" {
		name = fixed
	}
	t := &Target{Profile: p, Resource: strings.TrimSuffix(first.Resource.Plural+"."+first.Resource.Group, ".")}
	if t.Sample, err = first.Object(name); err != nil {
		return nil, fmt.Errorf("making the sample: %w", err)
	}
	if t.Beside, err = first.Beside(name); err != nil {
		return nil, err
	}
	if t.Edits, err = first.Edits(name); err != nil {
		return nil, err
	}
	return t, nil
}
