package bystander

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	// labelName is the label of the Pods that a bystander would have.
	labelName = "reconform.dev/bystander-name"
	// owner is the name of the owner of those bystanders that belong to somebody.
	owner = "somebody-else-with-bystanders"
	// longestPrefix keeps every name within 63 characters, the limit for the name of a
	// Service.
	longestPrefix = 40
)

// Crowd says which bystanders to create.
type Crowd struct {
	// Namespace in which they are created.
	Namespace string
	// Prefix of their names: the name of a child.
	Prefix string
	// Labels that they have: those of the child.
	Labels map[string]string
	// Kinds tells which kinds to create, as far as there are bystanders of them.
	Kinds func(schema.GroupResource) bool
	// Unowned also creates some that belong to nobody. The others belong to another
	// controller.
	Unowned bool
	// Namesakes have names that the controller itself asks for, and belong to another
	// controller. They are created only for kinds that are switched off, and for a workload of
	// another kind than the child of that name. Of another kind the controller may still create
	// an object.
	Namesakes []Namesake
}

// Namesake is a bystander with the name of an object that the controller asks for.
type Namesake struct {
	Of   schema.GroupResource
	Name string
	// OfWorkload says that it is the name of a child that is a workload.
	OfWorkload bool
}

// Make creates the bystanders. Existing ones stay. After an error it continues with the
// others, and returns all errors.
func Make(ctx context.Context, client dynamic.Interface, crowd Crowd) error {
	reference, err := somebodyElse(ctx, client, crowd)
	if err != nil {
		return err
	}
	prefix := crowd.Prefix[:min(len(crowd.Prefix), longestPrefix)]
	var errs []error
	for _, k := range kinds() {
		for _, object := range crowd.of(k, prefix, *reference) {
			if err := k.create(ctx, client, object); err != nil && !apierrors.IsAlreadyExists(err) {
				errs = append(errs, fmt.Errorf("making the bystander %s %s: %w", k.kind, object.GetName(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// create creates a bystander, and writes its status.
func (k kind) create(ctx context.Context, client dynamic.Interface, object *unstructured.Unstructured) error {
	resource := client.Resource(k.GroupVersionResource).Namespace(object.GetNamespace())
	made, err := resource.Create(ctx, object, metav1.CreateOptions{})
	if err != nil || k.status == nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"status": k.status})
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, made.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// Has tells whether there are bystanders of a kind.
func Has(of schema.GroupResource) bool {
	_, ok := kindOf(of)
	return ok
}

func kindOf(of schema.GroupResource) (kind, bool) {
	all := kinds()
	n := slices.IndexFunc(all, func(k kind) bool { return k.GroupResource() == of })
	if n < 0 {
		return kind{}, false
	}
	return all[n], true
}

// Take creates a bystander under the name of a child, before the controller creates that. It
// belongs to another controller, and has no labels of the child.
func Take(ctx context.Context, client dynamic.Interface, namespace string, of schema.GroupResource, name string) error {
	k, ok := kindOf(of)
	if !ok {
		return fmt.Errorf("there are no bystanders of %s", of)
	}
	crowd := Crowd{Namespace: namespace}
	reference, err := somebodyElse(ctx, client, crowd)
	if err != nil {
		return err
	}
	object := crowd.bystander(k, name)
	object.SetOwnerReferences([]metav1.OwnerReference{*reference})
	if err := k.create(ctx, client, object); err != nil {
		return fmt.Errorf("making the bystander %s %s: %w", k.kind, name, err)
	}
	return nil
}

// somebodyElse creates the owner of bystanders, unless there is one, and returns a reference
// to it.
func somebodyElse(ctx context.Context, client dynamic.Interface, crowd Crowd) (*metav1.OwnerReference, error) {
	configMaps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(crowd.Namespace)
	somebody, err := configMaps.Create(ctx, crowd.object("v1", "ConfigMap", owner, nil), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		somebody, err = configMaps.Get(ctx, owner, metav1.GetOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("making the owner of bystanders: %w", err)
	}
	return metav1.NewControllerRef(somebody, somebody.GroupVersionKind()), nil
}

// of returns all bystanders of the crowd that are of a kind.
func (c Crowd) of(k kind, prefix string, somebody metav1.OwnerReference) (all []*unstructured.Unstructured) {
	var names []string
	if c.Kinds(k.GroupResource()) && !k.onlyNamed {
		names = append(names, prefix+"-somebody-elses")
	}
	for _, namesake := range c.Namesakes {
		if namesake.Of == k.GroupResource() && (k.switched || k.workload && namesake.OfWorkload) {
			names = append(names, namesake.Name)
		}
	}
	for _, name := range names {
		owned := c.bystander(k, name)
		owned.SetOwnerReferences([]metav1.OwnerReference{somebody})
		all = append(all, owned)
	}
	if len(names) > 0 && c.Unowned && !k.onlyNamed && !k.adopted {
		all = append(all, c.bystander(k, prefix+"-nobodys"))
	}
	return all
}

// bystander returns a bystander of a kind, with the labels of the child.
func (c Crowd) bystander(k kind, name string) *unstructured.Unstructured {
	var content map[string]any
	if k.content != nil {
		content = k.content(name)
	}
	return c.object(k.GroupVersion().String(), k.kind, name, c.Labels, content)
}

func (c Crowd) object(apiVersion, kind, name string, labels map[string]string, content ...map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	for _, part := range content {
		maps.Copy(object.Object, part)
	}
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	object.SetNamespace(c.Namespace)
	object.SetName(name)
	all := map[string]string{v1alpha1.LabelBystander: "true"}
	maps.Copy(all, labels)
	object.SetLabels(all)
	return object
}
