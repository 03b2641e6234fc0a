package history

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestCanChange(t *testing.T) {
	const image, argument = ".spec.containers[0].image", ".spec.containers[0].args[2]"
	for _, tc := range []struct {
		resource, path string
		want           bool
	}{
		{"jobs.batch", "spec.template" + image, false},
		{"jobs.batch", "spec.template" + argument, false},
		{"jobs.batch", "spec.completions", false},
		{"jobs.batch", "spec.parallelism", true},
		{"jobs.batch", "spec.suspend", true},
		{"cronjobs.batch", "spec.jobTemplate.spec.template" + image, true},
		{"cronjobs.batch", "spec.schedule", true},
		{"pods", "spec.containers[1].image", true},
		{"pods", "spec.initContainers[0].image", true},
		{"pods", "spec.containers[0].args[0]", false},
		{"pods", "spec.containers[0].env[0].value", false},
		{"pods", "spec.nodeName", false},
		{"pods", "metadata.labels.app", true},
		{"deployments.apps", "spec.template" + image, true},
		{"deployments.apps", "spec.selector.matchLabels.app", false},
		{"statefulsets.apps", "spec.template" + image, true},
		{"statefulsets.apps", "spec.volumeClaimTemplates[0].spec.storageClassName", false},
		{"statefulsets.apps", "spec.serviceName", false},
		{"persistentvolumeclaims", "spec.resources.requests.storage", true},
		{"persistentvolumeclaims", "spec.storageClassName", false},
		{"services", "spec.ports[0].port", true},
		{"ingresses.networking.k8s.io", "spec.rules[0].host", true},
		{"configmaps", "data.motd", true},
	} {
		if got := CanChange(schema.ParseGroupResource(tc.resource), tc.path); got != tc.want {
			t.Errorf("%s of %s can be changed: %t, want %t", tc.path, tc.resource, got, tc.want)
		}
	}
}
