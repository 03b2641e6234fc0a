package profile

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestStandsIn: a field stands in for the number of replicas if the workload has a
// field of its own for that, and the profile names another.
func TestStandsIn(t *testing.T) {
	const annotation = "spec.template.metadata.annotations.number"
	for name, tc := range map[string]struct {
		workload *v1alpha1.Workload
		want     bool
	}{
		"none is given":                        {nil, false},
		"a Deployment":                         {&v1alpha1.Workload{Group: "apps", Kind: "Deployment", Replicas: annotation}, true},
		"a StatefulSet":                        {&v1alpha1.Workload{Group: "apps", Kind: "StatefulSet", Replicas: annotation}, true},
		"a StatefulSet with its own number":    {&v1alpha1.Workload{Group: "apps", Kind: "StatefulSet", Replicas: "spec.replicas"}, false},
		"a DaemonSet, which has none":          {&v1alpha1.Workload{Group: "apps", Kind: "DaemonSet", Replicas: annotation}, true},
		"a CronJob, which counts no Pods":      {&v1alpha1.Workload{Group: "batch", Kind: "CronJob", Replicas: "spec.schedule"}, false},
		"a kind that is not known, in its way": {&v1alpha1.Workload{Group: "apps.example.com", Kind: "CloneSet", Replicas: "spec.size"}, false},
	} {
		p := &Profile{}
		p.Spec.Contract.Children.Deployment.Workload = tc.workload
		if got := p.StandsIn(); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
