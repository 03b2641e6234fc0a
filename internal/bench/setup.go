package bench

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile"
)

// setUpOnce makes the setup objects of the profiles that are there once. What belongs
// into a namespace and names none is kept for [Bench.setUpIn].
func (b *Bench) setUpOnce(ctx context.Context) error {
	objects, err := setupOf(b.options.profiles())
	if err != nil {
		return err
	}
	for _, object := range objects {
		everywhere, err := b.belongsEverywhere(object)
		if err != nil {
			return err
		}
		if everywhere {
			continue
		}
		if err := b.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// setUpIn makes, in a namespace that a Subject of the profile is about to serve, the
// setup objects that each such namespace has.
func (b *Bench) setUpIn(ctx context.Context, p *profile.Profile, namespace string) error {
	objects, err := p.SetupObjects()
	if err != nil {
		return err
	}
	for _, object := range objects {
		everywhere, err := b.belongsEverywhere(object)
		if err != nil {
			return err
		}
		if !everywhere {
			continue
		}
		object.SetNamespace(namespace)
		if err := b.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bench) belongsEverywhere(object *unstructured.Unstructured) (bool, error) {
	mapping, err := b.mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	if err != nil {
		return false, fmt.Errorf("installing %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return mapping.Scope.Name() == meta.RESTScopeNameNamespace && object.GetNamespace() == "", nil
}
