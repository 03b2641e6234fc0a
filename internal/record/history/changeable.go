package history

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CanChange tells whether the API server lets somebody change a field of an object that
// exists. The path is like spec.template.spec.containers[0].image. It is true for all that is
// not known.
func CanChange(resource schema.GroupResource, path string) bool {
	field, inSpec := strings.CutPrefix(path, "spec.")
	if !inSpec {
		return true
	}
	name := field
	if end := strings.IndexAny(field, ".["); end >= 0 {
		name = field[:end]
	}
	switch resource.String() {
	case "deployments.apps", "daemonsets.apps", "replicasets.apps":
		return name != "selector"
	case "statefulsets.apps":
		return slices.Contains(changeableOfStatefulSet, name)
	case "jobs.batch":
		return !slices.Contains(fixedOfJob, name)
	case "persistentvolumeclaims":
		return name == "resources" || name == "volumeAttributesClassName"
	case "pods":
		isImage := (name == "containers" || name == "initContainers") && strings.HasSuffix(field, "].image")
		return isImage || name == "activeDeadlineSeconds" || name == "tolerations"
	}
	return true
}

// changeableOfStatefulSet are the fields of a StatefulSet's spec that can be changed.
var changeableOfStatefulSet = []string{
	"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
}

// fixedOfJob are the fields of a Job's spec that cannot be changed.
var fixedOfJob = []string{
	"selector", "template", "completions", "completionMode", "podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "managedBy",
}
