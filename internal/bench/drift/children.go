package drift

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// children are the objects that the controller made, and that have one owner.
type children struct {
	client    dynamic.Interface
	recorder  *history.Recorder
	namespace string
	// exempt are creations that the profile declares as not judged.
	exempt []v1alpha1.Exemption
	// restart restarts the controller.
	restart func(context.Context) error
}

// child is one of them.
type child struct {
	resource           schema.GroupVersionResource
	name, generateName string
	uid                types.UID
}

func (c child) String() string { return c.resource.GroupResource().String() + " " + c.name }

// of returns the children of an owner that are there now, in the order in which they were
// made. Those that are being deleted are left out.
func (c *children) of(ctx context.Context, owner types.UID) ([]child, error) {
	made := c.recorder.Requests(history.Query{
		Scenario: c.namespace, Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}}, Without: c.exempt,
	})
	order := map[types.UID]int64{}
	var resources []schema.GroupVersionResource
	for _, request := range made {
		if request.Effect != history.EffectEffective || request.Subresource != "" || request.Namespace != c.namespace {
			continue
		}
		order[request.UID] = request.Seq
		resource := request.GroupResource().WithVersion(request.Version)
		if !slices.Contains(resources, resource) {
			resources = append(resources, resource)
		}
	}
	var found []child
	for _, resource := range resources {
		all, err := c.owned(ctx, resource, owner)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			if order[one.GetUID()] > 0 && one.GetDeletionTimestamp() == nil {
				found = append(found, child{resource: resource, name: one.GetName(), generateName: one.GetGenerateName(), uid: one.GetUID()})
			}
		}
	}
	slices.SortFunc(found, func(a, b child) int { return cmp.Compare(order[a.uid], order[b.uid]) })
	return found, nil
}

// owned returns the objects of a resource that have an owner reference to the owner.
func (c *children) owned(ctx context.Context, resource schema.GroupVersionResource, owner types.UID) ([]unstructured.Unstructured, error) {
	all, err := c.client.Resource(resource).Namespace(c.namespace).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // its definition is gone
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", resource.GroupResource(), err)
	}
	return slices.DeleteFunc(all.Items, func(one unstructured.Unstructured) bool {
		return !slices.ContainsFunc(one.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == owner })
	}), nil
}

// remove deletes a child, and leaves what belongs to it to the garbage collector.
func (c *children) remove(ctx context.Context, one child) error {
	return c.client.Resource(one.resource).Namespace(c.namespace).Delete(ctx, one.name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &one.uid}, PropagationPolicy: new(metav1.DeletePropagationBackground),
	})
}

// versions stands for the state of some children: if it is the same, none of them has changed.
func (c *children) versions(ctx context.Context, owner types.UID, some []child) (string, error) {
	var text strings.Builder
	for _, resource := range resourcesOf(some) {
		all, err := c.owned(ctx, resource, owner)
		if err != nil {
			return "", err
		}
		for _, one := range all {
			fmt.Fprintln(&text, one.GetUID(), one.GetResourceVersion())
		}
	}
	return text.String(), nil
}

// resourcesOf returns the resources of some children, each once.
func resourcesOf(some []child) []schema.GroupVersionResource {
	var found []schema.GroupVersionResource
	for _, one := range some {
		if !slices.Contains(found, one.resource) {
			found = append(found, one.resource)
		}
	}
	return found
}
