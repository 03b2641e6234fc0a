package trial

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers whole
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/bystander"
	"reconform.dev/reconform/internal/bench/objects"
)

// fieldManager owns what a Trial writes.
const fieldManager = "reconform-trial"

// operation is an operation whose resources are known.
type operation struct {
	v1alpha1.TrialOperation
	resource schema.GroupVersionResource
	// object is what is created.
	object *unstructured.Unstructured
	// name of the object that it is about.
	name string
	// cluster says that the object has no namespace.
	cluster bool
}

// operation finds what an operation in a namespace is about.
func (c *Controller) operation(namespace string, given v1alpha1.TrialOperation) (operation, error) {
	o := operation{TrialOperation: given}
	var target *v1alpha1.TrialTarget
	switch {
	case given.Create != nil || given.Recreate != nil:
		return c.creation(namespace, o)
	case given.Patch != nil:
		o.Patch = given.Patch.DeepCopy()
		target = &o.Patch.TrialTarget
		var fields map[string]any
		if err := json.Unmarshal(given.Patch.Patch.Raw, &fields); err != nil {
			return o, fmt.Errorf("patch.patch: %w", err)
		}
	case given.Delete != nil:
		target = given.Delete
	case given.Orphan != nil:
		target = given.Orphan
	case given.Foreground != nil:
		target = given.Foreground
	case given.Drift != nil:
		target = &given.Drift.TrialTarget
	case given.DeleteChild != nil:
		target = given.DeleteChild
	case given.Mark != nil:
		target = given.Mark
	case given.Take != nil:
		target = given.Take
	case given.Restart != nil || given.Failover != nil:
		return o, nil
	default:
		return o, errors.New("exactly one operation must be given")
	}
	mapping, err := objects.FindResource(c.Mapper, target.Resource)
	if err != nil {
		return o, err
	}
	if o.cluster, err = c.scope(namespace, mapping); err != nil {
		return o, err
	}
	if o.cluster && o.Patch != nil {
		o.Patch.Patch.Raw = inNamespace(o.Patch.Patch.Raw, namespace)
	}
	o.resource, o.name = mapping.Resource, target.Name
	if resource := o.resource.GroupResource(); o.Take != nil && !bystander.Has(resource) {
		return o, fmt.Errorf("take: there are no bystanders of %s", resource)
	}
	return o, nil
}

// creation reads the object of a creation.
func (c *Controller) creation(namespace string, o operation) (operation, error) {
	given := o.Create
	if given == nil {
		given = o.Recreate
	}
	o.object = &unstructured.Unstructured{}
	if err := json.Unmarshal(given.Object.Raw, &o.object.Object); err != nil {
		return o, fmt.Errorf("object: %w", err)
	}
	kind := o.object.GroupVersionKind()
	if kind.Kind == "" || kind.Version == "" || o.object.GetName() == "" {
		return o, errors.New("object: it needs apiVersion, kind and metadata.name")
	}
	mapping, err := c.Mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return o, fmt.Errorf("object: %w", err)
	}
	if o.cluster, err = c.scope(namespace, mapping); err != nil {
		return o, fmt.Errorf("object: %w", err)
	}
	if o.cluster {
		if err := json.Unmarshal(inNamespace(given.Object.Raw, namespace), &o.object.Object); err != nil {
			return o, fmt.Errorf("object: %w", err)
		}
	}
	o.resource, o.name = mapping.Resource, o.object.GetName()
	return o, nil
}

// tryCreate says why the API server refuses the first object. What depends on earlier
// operations, or on a webhook that is not served yet, is found out later.
func (r *run) tryCreate(ctx context.Context) error {
	first := r.operations[0]
	if first.Create == nil {
		return nil
	}
	err := r.create(ctx, first, metav1.DryRunAll)
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return err
	}
	return nil
}

func (r *run) resourceOf(o operation) dynamic.ResourceInterface {
	if o.cluster {
		return r.Dynamic.Resource(o.resource)
	}
	return r.Dynamic.Resource(o.resource).Namespace(r.namespace)
}

// create creates the object of an operation.
func (r *run) create(ctx context.Context, o operation, dryRun ...string) error {
	object := o.object.DeepCopy()
	if !o.cluster {
		object.SetNamespace(r.namespace)
	}
	_, err := r.resourceOf(o).Create(ctx, object, metav1.CreateOptions{
		FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict, DryRun: dryRun,
	})
	return err
}

// do carries out an operation. It does not wait until the subject reacts.
func (r *run) do(ctx context.Context, o operation) error {
	err := r.try(ctx, o)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", o.inWords(), err)
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) {
		return errRefused{err}
	}
	return err
}

// errRefused says that a schema or a webhook does not allow an operation. That is neither the fault of
// the bench nor of the subject.
type errRefused struct{ error }

func (e errRefused) Unwrap() error { return e.error }

func isRefused(err error) bool {
	var refused errRefused
	return errors.As(err, &refused)
}

func (r *run) try(ctx context.Context, o operation) error {
	switch {
	case o.Create != nil:
		return r.create(ctx, o)
	case o.Recreate != nil:
		return r.recreate(ctx, o)
	case o.Restart != nil:
		return r.disrupt(ctx, v1alpha1.DisruptionSpec{Target: v1alpha1.TargetAll, Action: v1alpha1.ActionRestart})
	case o.Failover != nil:
		return r.failOver(ctx)
	case o.Take != nil:
		return bystander.Take(ctx, r.Dynamic, r.namespace, o.resource.GroupResource(), o.name)
	}
	name, err := r.find(ctx, o)
	if err != nil {
		return err
	}
	switch {
	case o.Patch != nil:
		var subresources []string
		if o.Patch.Subresource != "" {
			subresources = []string{o.Patch.Subresource}
		}
		_, err = r.resourceOf(o).Patch(ctx, name, types.MergePatchType, o.Patch.Patch.Raw, metav1.PatchOptions{
			FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict,
		}, subresources...)
	case o.Mark != nil:
		return r.mark(ctx, o, name)
	case o.Drift != nil:
		r.changed, err = r.Drifts.Alter(ctx, r.namespace, o.resource.GroupResource().String(), name, o.Drift.Fields)
	case o.Orphan != nil:
		err = r.resourceOf(o).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationOrphan)})
	case o.Foreground != nil:
		err = r.resourceOf(o).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)})
	default:
		err = r.resourceOf(o).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
	}
	return err
}

// find returns the name of the object that an operation is about.
func (r *run) find(ctx context.Context, o operation) (string, error) {
	if !strings.ContainsAny(o.name, "*?") {
		return o.name, nil
	}
	list, err := r.resourceOf(o).List(ctx, metav1.ListOptions{LabelSelector: "!" + v1alpha1.LabelBystander})
	if err != nil {
		return "", err
	}
	var names []string
	for _, item := range list.Items {
		if matches, err := path.Match(o.name, item.GetName()); err == nil && matches {
			names = append(names, item.GetName())
		}
	}
	if len(names) == 0 {
		return "", apierrors.NewNotFound(o.resource.GroupResource(), o.name)
	}
	return slices.Min(names), nil
}

// inWords names an operation.
func (o operation) inWords() string {
	verb := "restart"
	switch {
	case o.Create != nil:
		verb = "create"
	case o.Recreate != nil:
		verb = "delete and create again"
	case o.Patch != nil:
		verb = "patch"
	case o.Delete != nil, o.DeleteChild != nil:
		verb = "delete"
	case o.Orphan != nil:
		verb = "delete without its children"
	case o.Foreground != nil:
		verb = "delete after its children"
	case o.Drift != nil:
		verb = "drift of"
	case o.Mark != nil:
		verb = "mark"
	case o.Take != nil:
		verb = "take the name of"
	case o.Failover != nil:
		verb = "failover"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", verb, o.resource.Resource, o.name))
}

// touch gives the objects that were created an annotation that means nothing.
func (r *run) touch(ctx context.Context) error {
	r.touched = r.now()
	patch := []byte(`{"metadata": {"annotations": {"reconform.dev/touched": "true"}}}`)
	for _, o := range r.operations {
		if o.object == nil {
			continue
		}
		_, err := r.resourceOf(o).Patch(ctx, o.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("touching %s %s: %w", o.resource.Resource, o.name, err)
		}
	}
	return nil
}
