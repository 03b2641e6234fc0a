package trial

import "testing"

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
