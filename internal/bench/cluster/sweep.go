package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// sideBySide is how many namespaces are emptied, or resources searched, at the same time.
const sideBySide = 8

// Sweep removes what benches have left in their namespaces on a control plane of our own,
// so that the next bench does not meet it. When Sweep returns, the bench's own objects are
// gone; the namespaces with everything else are still being deleted. No bench may work
// there at that time.
func Sweep(ctx context.Context, config *rest.Config) error {
	c, err := newCleaner(config)
	if err == nil {
		err = c.sweep(ctx)
	}
	if err != nil {
		return fmt.Errorf("removing what a bench left: %w", err)
	}
	return nil
}

func (c *cleaner) sweep(ctx context.Context) error {
	ours, err := c.begin(ctx)
	if err != nil || len(ours) == 0 {
		return err
	}
	if err := c.release(ctx, ours); err != nil {
		return err
	}
	var emptied errgroup.Group
	emptied.SetLimit(sideBySide)
	for _, name := range ours {
		emptied.Go(func() error { return c.empty(ctx, name) })
	}
	return emptied.Wait()
}

// empty deletes the bench's objects in a namespace, and then the namespace.
func (c *cleaner) empty(ctx context.Context, namespace string) error {
	for _, r := range c.resources {
		if r.Group != v1alpha1.GroupVersion.Group {
			continue
		}
		err := c.metadata.Resource(r.GroupVersionResource).Namespace(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting %s in %s: %w", r.Resource, namespace, err)
		}
	}
	err := c.kubernetes.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the namespace %s: %w", namespace, err)
	}
	return nil
}
