package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/metadata"

	"reconform.dev/reconform/internal/bench/cluster"
)

// Restore restores the definitions as they were when the bench started, whatever a scenario
// has done to them. It removes finalizers that subjects have left, because they would block
// the deletion of a definition. So no subject may run meanwhile.
func (b *Bench) Restore(ctx context.Context) error {
	client, err := metadata.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	for _, primary := range b.primaries() {
		if err := unpin(ctx, client, primary); err != nil {
			return err
		}
	}
	definitions, err := b.definitions()
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if err := awaitDeletion(ctx, client, definition.Name); err != nil {
			return err
		}
	}
	return installCRDs(b.options.Config, definitions)
}

// primaries returns the resources that the implementations serve, each once.
func (b *Bench) primaries() []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for _, p := range b.options.profiles() {
		resource := p.Spec.Contract.Resource
		primary := schema.GroupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Plural}
		if !slices.Contains(all, primary) {
			all = append(all, primary)
		}
	}
	return all
}

// unpin removes the finalizers of all objects of a resource. A resource that does not exist
// has no objects.
func unpin(ctx context.Context, client metadata.Interface, resource schema.GroupVersionResource) error {
	list, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing %s: %w", resource.Resource, err)
	}
	for _, object := range list.Items {
		if len(object.GetFinalizers()) == 0 {
			continue
		}
		if err := cluster.TakeFinalizers(ctx, client.Resource(resource).Namespace(object.GetNamespace()), object.GetName()); err != nil {
			return fmt.Errorf("releasing %s %s/%s: %w", resource.Resource, object.GetNamespace(), object.GetName(), err)
		}
	}
	return nil
}

// deletionWithin is how long the API server may take to delete a definition. It deletes all
// objects first, and that takes a minute on a busy machine.
const deletionWithin = 5 * time.Minute

// awaitDeletion waits until a definition that is being deleted is gone.
func awaitDeletion(ctx context.Context, client metadata.Interface, name string) error {
	definitions := client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, deletionWithin, true, func(ctx context.Context) (bool, error) {
		definition, err := definitions.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && definition.GetDeletionTimestamp() == nil, err
	})
	if err != nil {
		return fmt.Errorf("waiting for the deletion of CustomResourceDefinition %s: %w", name, err)
	}
	return nil
}
