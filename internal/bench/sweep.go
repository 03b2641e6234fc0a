package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/metadata"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// sweepWithin is how long a controller may take to end, and an object to go.
	sweepWithin = 2 * time.Minute
	lookSwept   = 100 * time.Millisecond
)

// Sweep removes the objects without a namespace that a scenario has left, if the controller
// serves such a resource: those of the resources that it serves, and those that it created.
// The next scenario would see them. Sweep first waits until the controller has ended. It
// takes off the finalizers that are left, because nobody else will. Objects that are older than the scenario's
// namespace stay.
func (b *Bench) Sweep(ctx context.Context, namespace string) error {
	p := b.options.profile(namespace)
	if !p.ServesCluster() {
		return nil
	}
	client, err := metadata.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	return sweep(ctx, client, p, namespace, b.options.Recorder.Account(namespace).Requests)
}

// sweep does it for a controller that has sent these requests.
func sweep(ctx context.Context, client metadata.Interface, p *profile.Profile, namespace string, requests []history.Request) error {
	if err := awaitEnd(ctx, client, namespace); err != nil {
		return err
	}
	left, err := findLeft(ctx, client, p, namespace)
	if err != nil {
		return err
	}
	for _, q := range requests {
		if q.Verb == history.VerbCreate && q.Effect == history.EffectEffective && q.Namespace == "" && q.Name != "" && q.Subresource == "" &&
			history.Matches(v1alpha1.RequestMatch{}, q) {
			left = append(left, leftObject{schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: q.Resource}, q.Name})
		}
	}
	for _, one := range left {
		if err := removeObject(ctx, client.Resource(one.resource), one.name); err != nil {
			return fmt.Errorf("removing %s %s, which %s has left: %w", one.resource.Resource, one.name, namespace, err)
		}
	}
	return nil
}

// awaitEnd waits until no Subject of a namespace is there.
func awaitEnd(ctx context.Context, client metadata.Interface, namespace string) error {
	subjects := client.Resource(v1alpha1.GroupVersion.WithResource("subjects")).Namespace(namespace)
	err := wait.PollUntilContextTimeout(ctx, lookSwept, sweepWithin, true, func(ctx context.Context) (bool, error) {
		list, err := subjects.List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("waiting for the end of the controller in %s: %w", namespace, err)
	}
	return nil
}

// leftObject is an object without a namespace.
type leftObject struct {
	resource schema.GroupVersionResource
	name     string
}

// findLeft finds the objects of the resources without a namespace that the controller serves,
// if they are not older than a namespace.
func findLeft(ctx context.Context, client metadata.Interface, p *profile.Profile, namespace string) ([]leftObject, error) {
	place, err := client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Get(ctx, namespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // the scenario has not begun
	}
	if err != nil {
		return nil, fmt.Errorf("reading namespace %s: %w", namespace, err)
	}
	var left []leftObject
	for _, served := range p.Spec.Serves {
		resource := schema.GroupVersionResource{Group: served.Resource.Group, Version: served.Resource.Version, Resource: served.Resource.Plural}
		if !slices.Contains(p.ClusterResources(), resource.GroupResource()) {
			continue
		}
		list, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("listing %s: %w", resource.Resource, err)
		}
		for i := range list.Items {
			if !list.Items[i].CreationTimestamp.Time.Before(place.CreationTimestamp.Time) {
				left = append(left, leftObject{resource, list.Items[i].Name})
			}
		}
	}
	return left, nil
}

// removeObject deletes an object, takes its finalizers off, and waits until it is gone.
func removeObject(ctx context.Context, client metadata.ResourceInterface, name string) error {
	err := client.Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, lookSwept, sweepWithin, true, func(ctx context.Context) (bool, error) {
		object, err := client.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		if err != nil || len(object.GetFinalizers()) == 0 {
			return false, err
		}
		return false, cluster.TakeFinalizers(ctx, client, name)
	})
}
