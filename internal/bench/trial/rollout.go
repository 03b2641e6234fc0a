package trial

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// rolloutPatience is how much longer an outcome is awaited while the Pods of a workload are on
// their way: on a busy machine they become ready late, whatever the subject does.
const rolloutPatience = time.Minute

// isRollingOut says whether a workload, as it was last seen, was on its way to what it asks for:
// the cluster had not looked at its newest generation, or had not made all its Pods, or not all of
// them were ready.
func (t *timeline) isRollingOut() bool { return t.has(rollsOut) }

func rollsOut(v version) bool {
	number := func(path ...string) int64 {
		found, _, _ := unstructured.NestedInt64(v.Object, path...)
		return found
	}
	var wanted, there, ready int64
	switch v.resource {
	case "deployments.apps", "statefulsets.apps", "replicasets.apps":
		wanted, there, ready = number("spec", "replicas"), number("status", "replicas"), number("status", "readyReplicas")
	case "daemonsets.apps":
		wanted, there, ready = number("status", "desiredNumberScheduled"), number("status", "currentNumberScheduled"), number("status", "numberReady")
	default:
		return false
	}
	return number("status", "observedGeneration") != v.GetGeneration() || there != wanted || ready != wanted
}

// isLeftToCluster says whether a workload is as expected, except for its status, while its Pods are
// on their way: then the subject has done what it has to, and the cluster has not.
func isLeftToCluster(v version, differing []v1alpha1.Divergence) bool {
	if !rollsOut(v) {
		return false
	}
	differs := false
	for _, d := range differing {
		if d.Object == v.key() {
			if d.Kind != v1alpha1.DivergenceField || d.Path != "status" && !strings.HasPrefix(d.Path, "status.") {
				return false
			}
			differs = true
		}
	}
	return differs
}
