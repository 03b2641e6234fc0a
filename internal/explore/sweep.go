package explore

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// sweepPatience is how long the controller may take to end, and an object to go.
const sweepPatience = 2 * time.Minute

// sweep waits until the controller of a Trial has ended, and removes all objects without a
// namespace that it served or made. The next Trial would see them.
func (p *place) sweep(ctx context.Context, target *Target, subject *v1alpha1.Subject) error {
	if err := p.gone(ctx, subject, nil); err != nil {
		return fmt.Errorf("waiting for the end of the controller: %w", err)
	}
	var left []*unstructured.Unstructured
	add := func(kind schema.GroupVersionKind, name string) {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kind)
		object.SetName(name)
		left = append(left, object)
	}
	if cluster, err := p.isCluster(target.Sample.GroupVersionKind()); err != nil {
		return fmt.Errorf("finding the resource of the object: %w", err)
	} else if cluster {
		add(target.Sample.GroupVersionKind(), target.Sample.GetName())
	}
	for _, q := range p.session.Recorder.Account(subject.Namespace).Requests {
		if q.Verb != history.VerbCreate || q.Effect != history.EffectEffective || q.Namespace != "" || q.Name == "" || q.Subresource != "" ||
			!history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		kind, err := p.client.RESTMapper().KindFor(schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: q.Resource})
		if err != nil {
			return fmt.Errorf("finding the kind of %s: %w", q.Resource, err)
		}
		add(kind, q.Name)
	}
	for _, object := range left {
		if err := p.remove(ctx, object); err != nil {
			return fmt.Errorf("removing %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// isCluster says whether objects of a kind have no namespace.
func (p *place) isCluster(kind schema.GroupVersionKind) (bool, error) {
	mapping, err := p.client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return false, err
	}
	return mapping.Scope.Name() != meta.RESTScopeNameNamespace, nil
}

// remove deletes an object, and waits until it is gone. The controller that would remove a
// finalizer has ended, so that is done here.
func (p *place) remove(ctx context.Context, object *unstructured.Unstructured) error {
	if err := p.client.Delete(ctx, object); err != nil {
		return client.IgnoreNotFound(err)
	}
	return p.gone(ctx, object, func() error {
		if len(object.GetFinalizers()) == 0 {
			return nil
		}
		free := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		return client.IgnoreNotFound(p.client.Patch(ctx, object, free))
	})
}

// gone waits until an object is gone. As long as it is there, it is read, and more is done.
func (p *place) gone(ctx context.Context, object client.Object, more func() error) error {
	late := time.NewTimer(sweepPatience)
	defer late.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		err := p.client.Get(ctx, client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil && more != nil {
			err = more()
		}
		if err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-late.C:
			return fmt.Errorf("it is still there after %s", sweepPatience)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
