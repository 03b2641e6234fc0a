package trial

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
