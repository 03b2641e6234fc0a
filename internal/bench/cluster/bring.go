package cluster

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// FieldManager owns the fields of what is brought, and of what a bench applies on its own
// cluster.
const FieldManager = "reconform"

// Bring creates an object, marked as the bench's. If somebody else's object is there
// already, it stays as it is, and the error says how it differs from what is needed.
func Bring(ctx context.Context, objects dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	present, err := objects.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err == nil && present.GetLabels()[v1alpha1.LabelBench] == "" {
		would, err := objects.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: FieldManager, Force: true, DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return err
		}
		if !equality.Semantic.DeepEqual(bare(present), bare(would)) {
			return errors.New("the cluster has another one of this name, which is left alone")
		}
		return nil
	}
	ours := object.DeepCopy()
	labels := ours.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1alpha1.LabelBench] = v1alpha1.BenchMade
	ours.SetLabels(labels)
	_, err = objects.Apply(ctx, ours.GetName(), ours, metav1.ApplyOptions{FieldManager: FieldManager, Force: true})
	return err
}

// bare returns an object without the fields that any write changes.
func bare(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	return object.Object
}
