package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// goneWithin limits how long it may take until deleted objects are gone. On nodes that may
// be hundreds of namespaces with Pods.
const goneWithin = 10 * time.Minute

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

// resource is a resource whose objects can be listed and deleted.
type resource struct {
	schema.GroupVersionResource
	namespaced bool
}

// Clean removes everything that benches have created on a cluster and marked: their
// namespaces with all contents, cluster-wide objects, and definitions that nobody uses. It
// returns what it has removed. No bench may work there at that time: see [Take].
func Clean(ctx context.Context, config *rest.Config) (removed []string, err error) {
	return clean(ctx, config, (*cleaner).removeAll)
}

// CleanAndKeep does the same, but the namespaces and the definitions stay, so that people can
// look at them: only what acts is removed.
func CleanAndKeep(ctx context.Context, config *rest.Config) (removed []string, err error) {
	return clean(ctx, config, (*cleaner).removeActing)
}

func clean(ctx context.Context, config *rest.Config, remove func(*cleaner, context.Context) error) (removed []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	c, err := newCleaner(config)
	if err == nil {
		err = remove(c, ctx)
	}
	if err != nil {
		return c.removed, fmt.Errorf("removing what a bench made: %w", err)
	}
	return c.removed, nil
}

// Left returns the namespaces of benches: those to remove, and those that were kept.
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
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) { // the API service of somebody else may be down
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

// removeAll removes everything that benches made.
func (c *cleaner) removeAll(ctx context.Context) error {
	ours, err := c.begin(ctx)
	if err != nil {
		return err
	}
	if err := c.release(ctx, ours); err != nil {
		return err
	}
	if err := c.deleteNamespaces(ctx, ours); err != nil {
		return err
	}
	if err := c.deleteClusterWide(ctx); err != nil {
		return err
	}
	return c.deleteDefinitions(ctx)
}

// removeActing removes only what acts, and marks the namespaces as kept.
func (c *cleaner) removeActing(ctx context.Context) error {
	ours, err := c.begin(ctx)
	if err != nil {
		return err
	}
	if err := c.releaseOwn(ctx, ours); err != nil {
		return err
	}
	if err := c.markKept(ctx); err != nil {
		return err
	}
	return c.deleteClusterWide(ctx)
}

// begin deletes the webhooks, and returns the namespaces of benches. Webhooks come first:
// the bench that served them has ended, so they would block all writes.
func (c *cleaner) begin(ctx context.Context) (namespaces []string, err error) {
	err = c.deleteMarked(ctx, func(r resource) bool { return r.Group == "admissionregistration.k8s.io" })
	if err != nil {
		return nil, err
	}
	return c.namespaces(ctx)
}

// deleteClusterWide deletes what is marked, except the namespaces and the definitions.
func (c *cleaner) deleteClusterWide(ctx context.Context) error {
	return c.deleteMarked(ctx, func(r resource) bool {
		return r.GroupVersionResource != namespaces && r.GroupVersionResource != definitions
	})
}
