package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func (c *cleaner) deleteNamespaces(ctx context.Context, ours []string) error {
	for _, name := range ours {
		err := c.kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		c.removed = append(c.removed, "namespace "+name)
	}
	return c.awaitGone(ctx, namespaces, ours)
}

// deleteMarked deletes the objects with the bench's label, in all namespaces, of the
// resources that are chosen.
func (c *cleaner) deleteMarked(ctx context.Context, chosen func(resource) bool) error {
	for _, r := range c.resources {
		if !chosen(r) {
			continue
		}
		list, err := c.metadata.Resource(r.GroupVersionResource).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelBench})
		if unlistable(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing %s: %w", r.Resource, err)
		}
		for _, object := range list.Items {
			err := c.metadata.Resource(r.GroupVersionResource).Namespace(object.Namespace).Delete(ctx, object.Name, metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("deleting %s %s: %w", r.Resource, object.Name, err)
			}
			c.removed = append(c.removed, strings.TrimSuffix(r.Resource, "s")+" "+object.Name)
		}
	}
	return nil
}

// deleteDefinitions deletes the definitions that the bench brought. If a definition still
// has objects, these belong to somebody else, and the definition stays.
func (c *cleaner) deleteDefinitions(ctx context.Context) error {
	list, err := c.metadata.Resource(definitions).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelBench})
	if err != nil {
		return err
	}
	var errs []error
	deleted := []string{}
	for _, definition := range list.Items {
		plural, group, _ := strings.Cut(definition.Name, ".")
		used := false
		for _, r := range c.resources {
			if r.Group != group || r.Resource != plural {
				continue
			}
			objects, err := c.metadata.Resource(r.GroupVersionResource).List(ctx, metav1.ListOptions{Limit: 1})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
			used = used || err == nil && len(objects.Items) > 0
		}
		if used {
			errs = append(errs, fmt.Errorf("the definition %s stays: it has objects that are not the bench's", definition.Name))
			continue
		}
		if err := c.metadata.Resource(definitions).Delete(ctx, definition.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		c.removed, deleted = append(c.removed, "definition "+definition.Name), append(deleted, definition.Name)
	}
	return errors.Join(append(errs, c.awaitGone(ctx, definitions, deleted))...)
}

// awaitGone waits until none of the objects is left. The API server first deletes the
// objects of a definition. Until the definition is gone, too, it looks as if it were served.
func (c *cleaner) awaitGone(ctx context.Context, kind schema.GroupVersionResource, names []string) error {
	var left []string
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		list, err := c.metadata.Resource(kind).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		left = nil
		for _, object := range list.Items {
			if slices.Contains(names, object.Name) {
				left = append(left, object.Name)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to go (%s): %w", kind.Resource, strings.Join(left, ", "), err)
	}
	return nil
}
