package history

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// IsJob tells whether a kind is the Job of Kubernetes. Volcano, for example, has another one.
func IsJob(kind schema.GroupVersionKind) bool {
	return kind.Group == batchv1.GroupName && kind.Kind == "Job"
}

// JobEnded tells whether the object of a Job says that it has completed or failed. Such a Job
// need not be made again.
func JobEnded(job map[string]any) bool { return HasTrueCondition(job, "Complete", "Failed") }

// JobRuns tells whether the object of a Job is neither suspended nor at its end.
func JobRuns(job map[string]any) bool {
	suspended, _, _ := unstructured.NestedBool(job, "spec", "suspend")
	return !suspended && !JobEnded(job)
}

// HasTrueCondition tells whether the status of an object has a condition of one of these types
// that is True.
func HasTrueCondition(object map[string]any, types ...string) bool {
	conditions, _, _ := unstructured.NestedSlice(object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(entry any) bool {
		condition, _ := entry.(map[string]any)
		kind, _ := condition["type"].(string)
		return condition["status"] == "True" && slices.Contains(types, kind)
	})
}
