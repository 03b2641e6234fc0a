package trial

import "testing"

// TestRunningJobs: before the next operation, those Jobs are waited for that may still end.
func TestRunningJobs(t *testing.T) {
	job := func(number, text string) version { return versionOf(t, "jobs.batch", number, 0, text) }
	gone := job("9", "status: {}")
	gone.gone = true
	runs := job("1", "status: {active: 1}")
	for name, tc := range map[string]struct {
		versions []version
		want     bool
	}{
		"none":                 {nil, false},
		"it is new":            {[]version{job("1", "status: {}")}, true},
		"it runs":              {[]version{runs}, true},
		"it has completed":     {[]version{runs, job("2", "status: {conditions: [{type: Complete, status: 'True'}]}")}, false},
		"it has failed":        {[]version{runs, job("2", "status: {conditions: [{type: Failed, status: 'True'}]}")}, false},
		"not yet":              {[]version{runs, job("2", "status: {conditions: [{type: Complete, status: 'False'}]}")}, true},
		"it is suspended":      {[]version{runs, job("2", "{spec: {suspend: true}, status: {}}")}, false},
		"it goes":              {[]version{runs, job("2", "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, status: {active: 1}}")}, false},
		"it is gone":           {[]version{runs, gone}, false},
		"it was made again":    {[]version{runs, gone, job("10", "status: {}")}, true},
		"it is something else": {[]version{versionOf(t, "children", "1", 0, "status: {active: 1}")}, false},
	} {
		if got := (&timeline{versions: tc.versions}).hasRunningJob(); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// TestAtWork: the next operation also waits for the Pods of a workload.
func TestAtWork(t *testing.T) {
	deployment := func(text string) []version { return []version{versionOf(t, "deployments.apps", "1", 0, text)} }
	for name, tc := range map[string]struct {
		versions []version
		want     bool
	}{
		"a Job runs":            {[]version{versionOf(t, "jobs.batch", "1", 0, "status: {active: 1}")}, true},
		"Pods are on their way": {deployment("{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, readyReplicas: 1}}"), true},
		"all are ready":         {deployment("{metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, readyReplicas: 2}}"), false},
	} {
		if got := (&timeline{versions: tc.versions}).isAtWork(); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
