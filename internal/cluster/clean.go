package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// goneWithin bounds how long what is deleted may take to go.
const goneWithin = 2 * time.Minute

var (
	namespaces  = corev1.SchemeGroupVersion.WithResource("namespaces")
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// cleaner removes what benches have made.
type cleaner struct {
	kubernetes kubernetes.Interface
	metadata   metadata.Interface
	resources  []resource
	removed    []string
}

// resource whose objects can be listed and deleted.
type resource struct {
	schema.GroupVersionResource
	namespaced bool
}

// Clean removes all that benches have made on a cluster and marked: their namespaces with
// all that is in them, cluster-wide objects, and definitions that nobody uses. It says
// what it has removed. With keep, the namespaces and the definitions stay, for people to
// look at, and only what acts goes. No bench may work there: see [Take].
func Clean(ctx context.Context, config *rest.Config, keep bool) (removed []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	c, err := newCleaner(config)
	if err == nil {
		err = c.clean(ctx, keep)
	}
	if err != nil {
		return c.removed, fmt.Errorf("removing what a bench made: %w", err)
	}
	return c.removed, nil
}

// Left names the namespaces of benches: those to remove, and those that were kept.
func Left(ctx context.Context, client kubernetes.Interface) (toRemove, kept []string, err error) {
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelBench})
	if err != nil {
		return nil, nil, fmt.Errorf("listing namespaces: %w", err)
	}
	for _, namespace := range list.Items {
		if namespace.Labels[v1alpha1.LabelBench] == v1alpha1.BenchKept {
			kept = append(kept, namespace.Name)
		} else {
			toRemove = append(toRemove, namespace.Name)
		}
	}
	return toRemove, kept, nil
}

func newCleaner(config *rest.Config) (*cleaner, error) {
	c := &cleaner{}
	var err error
	if c.kubernetes, err = kubernetes.NewForConfig(config); err != nil {
		return c, err
	}
	if c.metadata, err = metadata.NewForConfig(config); err != nil {
		return c, err
	}
	lists, err := c.kubernetes.Discovery().ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) { // another's API may be away
		return c, err
	}
	for _, list := range lists {
		group, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return c, err
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete") && slices.Contains(r.Verbs, "patch") && r.Name != "events" {
				c.resources = append(c.resources, resource{group.WithResource(r.Name), r.Namespaced})
			}
		}
	}
	return c, nil
}

func (c *cleaner) clean(ctx context.Context, keep bool) error {
	// Webhooks come first: nobody answers them any more, and they hold up all else.
	if err := c.deleteMarked(ctx, func(r resource) bool { return r.Group == "admissionregistration.k8s.io" }); err != nil {
		return err
	}
	ours, err := c.namespaces(ctx)
	if err != nil {
		return err
	}
	if err := c.release(ctx, ours, keep); err != nil {
		return err
	}
	if keep {
		if err := c.markKept(ctx); err != nil {
			return err
		}
	} else if err := c.deleteNamespaces(ctx, ours); err != nil {
		return err
	}
	err = c.deleteMarked(ctx, func(r resource) bool {
		return r.GroupVersionResource != namespaces && r.GroupVersionResource != definitions
	})
	if err != nil || keep {
		return err
	}
	return c.deleteDefinitions(ctx)
}

// namespaces that benches have made: those marked, and those whose names begin with the
// name of one and a dash.
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

// release takes the finalizers off all that is in the namespaces: those who would do so
// are gone. What the system has put there it takes off itself. With keep, only the
// bench's own objects are released.
func (c *cleaner) release(ctx context.Context, ours []string, keep bool) error {
	for _, r := range c.resources {
		if !r.namespaced || keep && r.Group != v1alpha1.GroupVersion.Group {
			continue
		}
		list, err := c.metadata.Resource(r.GroupVersionResource).List(ctx, metav1.ListOptions{})
		if unlistable(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing %s: %w", r.Resource, err)
		}
		for _, object := range list.Items {
			if !slices.Contains(ours, object.Namespace) || !slices.ContainsFunc(object.Finalizers, ofSomebody) {
				continue
			}
			_, err := c.metadata.Resource(r.GroupVersionResource).Namespace(object.Namespace).
				Patch(ctx, object.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("releasing %s %s/%s: %w", r.Resource, object.Namespace, object.Name, err)
			}
		}
	}
	return nil
}

// ofSomebody says whether a finalizer is not one of the system's.
func ofSomebody(finalizer string) bool {
	return strings.Contains(finalizer, "/") && !strings.HasPrefix(finalizer, "kubernetes.io/")
}

// unlistable says whether there is nothing to list, or no right to.
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

func (c *cleaner) deleteNamespaces(ctx context.Context, ours []string) error {
	for _, name := range ours {
		err := c.kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		c.removed = append(c.removed, "namespace "+name)
	}
	var left []string
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		list, err := c.kubernetes.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		left = nil
		for _, namespace := range list.Items {
			if slices.Contains(ours, namespace.Name) {
				left = append(left, namespace.Name)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for namespaces to go (%s): %w", strings.Join(left, ", "), err)
	}
	return nil
}

// deleteMarked deletes what carries the mark, wherever it is.
func (c *cleaner) deleteMarked(ctx context.Context, which func(resource) bool) error {
	for _, r := range c.resources {
		if !which(r) {
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

// deleteDefinitions deletes the definitions that the bench brought, unless there are
// objects of them: those are somebody else's.
func (c *cleaner) deleteDefinitions(ctx context.Context) error {
	list, err := c.metadata.Resource(definitions).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelBench})
	if err != nil {
		return err
	}
	var errs []error
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
			errs = append(errs, fmt.Errorf("the definition %s stays: there are objects of it, which are not the bench's", definition.Name))
			continue
		}
		if err := c.metadata.Resource(definitions).Delete(ctx, definition.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		c.removed = append(c.removed, "definition "+definition.Name)
	}
	return errors.Join(errs...)
}
