package trial

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestRollingOut: a workload whose Pods are on their way is not at rest.
func TestRollingOut(t *testing.T) {
	for name, tc := range map[string]struct {
		resource, text string
		want           bool
	}{
		"nobody has looked at it":     {"deployments.apps", "{metadata: {generation: 1}, spec: {replicas: 2}, status: {}}", true},
		"nobody has, and it has none": {"deployments.apps", "{metadata: {generation: 1}, spec: {replicas: 0}, status: {}}", true},
		"an older generation":         {"deployments.apps", "{metadata: {generation: 2}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, readyReplicas: 2}}", true},
		"Pods are missing":            {"replicasets.apps", "{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 1, readyReplicas: 1}}", true},
		"Pods are not ready":          {"statefulsets.apps", "{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, readyReplicas: 1}}", true},
		"an old Pod is still there":   {"deployments.apps", "{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 3, readyReplicas: 2}}", true},
		"all is ready":                {"deployments.apps", "{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, readyReplicas: 2}}", false},
		"it has none":                 {"deployments.apps", "{metadata: {generation: 1}, spec: {replicas: 0}, status: {observedGeneration: 1}}", false},
		"a Node waits for its Pod":    {"daemonsets.apps", "{metadata: {generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1}}", true},
		"each Node has its Pod":       {"daemonsets.apps", "{metadata: {generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1}}", false},
		"it is being deleted":         {"deployments.apps", "{metadata: {generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {replicas: 2}, status: {}}", false},
		"something else":              {"children", "{metadata: {generation: 1}, spec: {replicas: 2}, status: {}}", false},
	} {
		if got := (&timeline{versions: []version{versionOf(t, tc.resource, "1", 0, tc.text)}}).isRollingOut(); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// TestLeftToCluster: as long as only the status of a workload differs, and its Pods are on their way,
// the subject has done what it has to.
func TestLeftToCluster(t *testing.T) {
	const (
		onItsWay = "{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2}}"
		ready    = "{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, readyReplicas: 2}}"
	)
	v := versionOf(t, "statefulsets.apps", "1", 0, onItsWay)
	field := func(object, path string) v1alpha1.Divergence {
		return v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: object, Path: path}
	}
	own := field("webapps demo", "status.phase")
	for name, tc := range map[string]struct {
		workload  string
		differing []v1alpha1.Divergence
		want      bool
	}{
		"its Pods are not ready":        {onItsWay, []v1alpha1.Divergence{field(v.key(), "status.readyReplicas"), own}, true},
		"it has no status":              {onItsWay, []v1alpha1.Divergence{field(v.key(), "status")}, true},
		"its Pods are ready":            {ready, []v1alpha1.Divergence{field(v.key(), "status.readyReplicas")}, false},
		"its spec differs, too":         {onItsWay, []v1alpha1.Divergence{field(v.key(), "status.readyReplicas"), field(v.key(), "spec.replicas")}, false},
		"it is so undisturbed, too":     {onItsWay, []v1alpha1.Divergence{own}, false},
		"it should not be there":        {onItsWay, []v1alpha1.Divergence{{Kind: v1alpha1.DivergenceExtra, Object: v.key()}}, false},
		"what differs has a like name":  {onItsWay, []v1alpha1.Divergence{field(v.key(), "statusFrom")}, false},
		"nothing differs":               {onItsWay, nil, false},
		"the other one is not on a way": {ready, []v1alpha1.Divergence{own}, false},
	} {
		if got := isLeftToCluster(versionOf(t, "statefulsets.apps", "1", 0, tc.workload), tc.differing); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
