package infer

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/record/history"
)

// canChange tells whether the API server lets somebody change a field of a child: if it does
// not, a controller that does not follow a change of the spec there makes no mistake.
func (r *Record) canChange(kind, path string) bool {
	if w, ok := r.workload(kind); ok {
		return history.CanChange(schema.GroupResource{Group: w.Group, Resource: w.Plural}, path)
	}
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	return history.CanChange(plural.GroupResource(), path)
}

// finished tells whether an object is a Job that has come to its end: it need not be made
// again.
func finished(object *unstructured.Unstructured) bool {
	return object != nil && history.IsJob(object.GroupVersionKind()) && history.JobEnded(object.Object)
}
