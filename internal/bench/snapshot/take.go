package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/record/history"
)

// invalid is the error for a Snapshot that can never be taken.
type invalid struct{ error }

func (i invalid) Unwrap() error { return i.error }

func isInvalid(err error) bool {
	var i invalid
	return errors.As(err, &i)
}

// camera takes the content of Snapshots.
type camera struct {
	dynamic  dynamic.Interface
	mapper   meta.RESTMapper
	contract []string // resources in a Snapshot that names none
	// served are the resources without a namespace that the controller serves. If there are
	// some, written returns the UIDs of the objects that the subject in a namespace wrote.
	served  []schema.GroupResource
	written func(namespace string, resource schema.GroupResource) map[types.UID]bool
	rules   *rules
	// defaulted is the beginning of the keys of objects whose spec a webhook fills in.
	defaulted string
}

// take reads and digests the objects as they are now.
func (c *camera) take(ctx context.Context, snapshot *v1alpha1.Snapshot, known history.Identities) (v1alpha1.SnapshotStatus, error) {
	status := v1alpha1.SnapshotStatus{}
	resources := snapshot.Spec.Resources
	if len(resources) == 0 {
		resources = c.contract
	}
	objects, err := c.read(ctx, snapshot.Namespace, resources)
	if err != nil {
		return status, err
	}
	if err := c.markGone(ctx, snapshot.Namespace, objects, known.Names); err != nil {
		return status, err
	}
	// Aliases come from all objects, even from those that are left out below.
	c.rules.mask(objects)
	if names := snapshot.Spec.Names; len(names) > 0 {
		objects = slices.DeleteFunc(objects, func(o object) bool { return !slices.Contains(names, o.name) })
	}
	if err := digest(objects, &status); err != nil {
		return status, invalid{err}
	}
	return status, nil
}

// read reads the objects of these resources in a namespace, without bystanders.
func (c *camera) read(ctx context.Context, namespace string, resources []string) ([]object, error) {
	var objects []object
	taken := map[string]bool{}
	for _, name := range resources {
		resource, cluster, err := c.find(name)
		if err != nil {
			return nil, err
		}
		called := resource.GroupResource().String()
		if taken[called] {
			continue
		}
		taken[called] = true
		items, err := c.list(ctx, namespace, resource, cluster)
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", called, err)
		}
		for _, item := range items {
			objects = append(objects, object{resource: called, name: item.GetName(), content: item.Object})
		}
	}
	return objects, nil
}

// list lists the objects of a resource in a namespace. Of a resource without namespaces it
// lists all objects if the controller serves it, and otherwise those that the subject wrote.
func (c *camera) list(ctx context.Context, namespace string, resource schema.GroupVersionResource, cluster bool) ([]unstructured.Unstructured, error) {
	options := metav1.ListOptions{LabelSelector: "!" + v1alpha1.LabelBystander}
	if !cluster {
		list, err := c.dynamic.Resource(resource).Namespace(namespace).List(ctx, options)
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}
	list, err := c.dynamic.Resource(resource).List(ctx, options)
	if err != nil {
		return nil, err
	}
	if slices.Contains(c.served, resource.GroupResource()) {
		return list.Items, nil
	}
	written := c.written(namespace, resource.GroupResource())
	return slices.DeleteFunc(list.Items, func(o unstructured.Unstructured) bool { return !written[o.GetUID()] }), nil
}

// find finds a resource by plural or plural.group. It must have namespaces, unless the
// controller serves one that has none.
func (c *camera) find(name string) (resource schema.GroupVersionResource, cluster bool, err error) {
	mapping, err := objects.FindResource(c.mapper, name)
	if meta.IsNoMatchError(err) {
		return resource, false, invalid{err}
	}
	if err != nil {
		return resource, false, err
	}
	if cluster, err = objects.IsCluster(mapping, len(c.served) > 0); err != nil {
		return mapping.Resource, cluster, invalid{err}
	}
	return mapping.Resource, cluster, nil
}
