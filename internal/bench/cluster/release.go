package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// namespaces returns the namespaces that benches have made: marked ones, and those whose
// names begin with the name of a marked one and a dash.
func (c *cleaner) namespaces(ctx context.Context) ([]string, error) {
	list, err := c.kubernetes.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var marked, ours []string
	for _, namespace := range list.Items {
		if _, ok := namespace.Labels[v1alpha1.LabelBench]; ok {
			marked = append(marked, namespace.Name)
		}
	}
	for _, namespace := range list.Items {
		if slices.ContainsFunc(marked, func(name string) bool { return namespace.Name == name || strings.HasPrefix(namespace.Name, name+"-") }) {
			ours = append(ours, namespace.Name)
		}
	}
	return ours, nil
}

// release removes the finalizers of everything in the namespaces, because the controllers
// that would do so are gone. Finalizers of the system are left to the system.
func (c *cleaner) release(ctx context.Context, ours []string) error {
	return c.releaseAll(ctx, ours, c.resources)
}

// releaseOwn removes those of the bench's own objects.
func (c *cleaner) releaseOwn(ctx context.Context, ours []string) error {
	return c.releaseAll(ctx, ours, slices.DeleteFunc(slices.Clone(c.resources), func(r resource) bool {
		return r.Group != v1alpha1.GroupVersion.Group
	}))
}

func (c *cleaner) releaseAll(ctx context.Context, ours []string, resources []resource) error {
	var released errgroup.Group
	released.SetLimit(sideBySide)
	for _, r := range resources {
		if r.namespaced {
			released.Go(func() error { return c.releaseEach(ctx, r, ours) })
		}
	}
	return released.Wait()
}

// releaseEach releases each object of a resource that is in the namespaces.
func (c *cleaner) releaseEach(ctx context.Context, r resource, ours []string) error {
	list, err := c.metadata.Resource(r.GroupVersionResource).List(ctx, metav1.ListOptions{})
	if unlistable(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing %s: %w", r.Resource, err)
	}
	for _, object := range list.Items {
		if !slices.Contains(ours, object.Namespace) || !slices.ContainsFunc(object.Finalizers, ofSomebody) {
			continue
		}
		if err := TakeFinalizers(ctx, c.metadata.Resource(r.GroupVersionResource).Namespace(object.Namespace), object.Name); err != nil {
			return fmt.Errorf("releasing %s %s/%s: %w", r.Resource, object.Namespace, object.Name, err)
		}
	}
	return nil
}

// TakeFinalizers removes all finalizers of an object, which may be gone.
func TakeFinalizers(ctx context.Context, objects metadata.ResourceInterface, name string) error {
	_, err := objects.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// ofSomebody tells whether a finalizer is not one of the system's.
func ofSomebody(finalizer string) bool {
	return strings.Contains(finalizer, "/") && !strings.HasPrefix(finalizer, "kubernetes.io/")
}

// unlistable tells whether there is nothing to list, or no right to list it.
func unlistable(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) || apierrors.IsForbidden(err)
}

func (c *cleaner) markKept(ctx context.Context) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, v1alpha1.LabelBench, v1alpha1.BenchKept)
	for _, kind := range []schema.GroupVersionResource{namespaces, definitions} {
		list, err := c.metadata.Resource(kind).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelBench})
		if err != nil {
			return err
		}
		for _, object := range list.Items {
			if _, err := c.metadata.Resource(kind).Patch(ctx, object.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}
