package proxy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/record/history"
)

// fixed returns a hash of the fields of an object that the API server lets nobody change.
// It returns "" for a kind without known fields of this sort.
func (o object) fixed(resource schema.GroupResource) string {
	spec := o.mapping("spec")
	if spec == nil {
		return ""
	}
	parts := map[string]any{}
	switch resource.String() {
	case "deployments.apps", "daemonsets.apps", "replicasets.apps", "statefulsets.apps", "jobs.batch":
		for name, value := range spec {
			if !history.CanChange(resource, "spec."+name) {
				parts[name] = value
			}
		}
	case "services":
		// Each Service gets an address of its own, so addresses are not compared. Whether
		// it has one cannot change.
		parts["headless"] = spec["clusterIP"] == "None"
		if families, ok := spec["ipFamilies"].([]any); ok && len(families) > 0 {
			parts["family"] = families[0]
		}
		parts["loadBalancerClass"] = spec["loadBalancerClass"]
	default:
		return ""
	}
	encoded, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(encoded))[:16]
}
