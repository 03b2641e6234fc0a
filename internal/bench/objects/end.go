package objects

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// finalizer keeps the objects of an Ender until what they began has ended.
const finalizer = "reconform.dev/processes"

// Ender is an Actor whose objects stay until what they began has ended.
type Ender[T client.Object] interface {
	// End ends what the object began, because it is being deleted. It is called again if it
	// fails.
	End(ctx context.Context, object T) error
}

// hold adds the finalizer to an object if its actor is an Ender.
func (s *server[T]) hold(ctx context.Context, object T) error {
	if _, ok := s.actor.(Ender[T]); !ok {
		return nil
	}
	before := object.DeepCopyObject().(T)
	if !controllerutil.AddFinalizer(object, finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := s.client.Patch(ctx, object, patch); err != nil {
		return fmt.Errorf("adding the finalizer of %s %s: %w", s.name, client.ObjectKeyFromObject(object), err)
	}
	s.written.note(object)
	return nil
}

// release ends what a deleted object began, and removes the finalizer.
func (s *server[T]) release(ctx context.Context, object T) error {
	ender, ok := s.actor.(Ender[T])
	if !ok || !controllerutil.ContainsFinalizer(object, finalizer) {
		return nil
	}
	key := client.ObjectKeyFromObject(object)
	if err := ender.End(ctx, object); err != nil {
		return fmt.Errorf("ending %s %s: %w", s.name, key, err)
	}
	before := object.DeepCopyObject().(T)
	controllerutil.RemoveFinalizer(object, finalizer)
	if err := s.client.Patch(ctx, object, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("removing the finalizer of %s %s: %w", s.name, key, err)
	}
	return nil
}
