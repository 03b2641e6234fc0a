package bench

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile"
)

// setUpOnce creates the setup objects of the profiles that exist only once. Objects that
// need a namespace and name none are left to [Bench.setUpIn].
func (b *Bench) setUpOnce(ctx context.Context) error {
	objects, err := setupOf(b.options.profiles())
	if err != nil {
		return err
	}
	return b.setUp(ctx, objects, "")
}

// setUpIn creates the setup objects that each served namespace has, in a namespace that a
// Subject of the profile is about to serve.
func (b *Bench) setUpIn(ctx context.Context, p *profile.Profile, namespace string) error {
	objects, err := p.SetupObjects()
	if err != nil {
		return err
	}
	return b.setUp(ctx, objects, namespace)
}

// setUp creates setup objects. In a namespace it creates those that each served namespace has;
// if namespace is empty, all others.
func (b *Bench) setUp(ctx context.Context, objects []*unstructured.Unstructured, namespace string) error {
	for _, object := range objects {
		everywhere, err := b.belongsEverywhere(object)
		if err != nil {
			return b.atPlace(object, err)
		}
		if everywhere != (namespace != "") {
			continue
		}
		if everywhere {
			object.SetNamespace(namespace)
		}
		if err := b.apply(ctx, object); err != nil {
			return b.atPlace(object, err)
		}
	}
	return nil
}

// atPlace adds the file and the line of a setup object to an error about it.
func (b *Bench) atPlace(object *unstructured.Unstructured, err error) error {
	for _, p := range b.options.profiles() {
		if place := p.SetupPlace(object); place != "" {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return err
}

func (b *Bench) belongsEverywhere(object *unstructured.Unstructured) (bool, error) {
	mapping, err := b.mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	if err != nil {
		return false, fmt.Errorf("installing %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return mapping.Scope.Name() == meta.RESTScopeNameNamespace && object.GetNamespace() == "", nil
}
