package snapshot

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestLateStatus: a status that was not correct yet in the picture may become correct.
func TestLateStatus(t *testing.T) {
	p, err := profile.Resolve("../../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const ready = "{metadata: {name: demo}, status: {readyReplicas: 2}}"
	for name, tc := range map[string]struct {
		primary, workload string
		later             string
		want              []string
	}{
		"behind":         {"{metadata: {name: demo}, status: {phase: Deploying}}", ready, ready, nil},
		"ahead":          {"{metadata: {name: demo}, status: {readyReplicas: 3}}", ready, ready, nil},
		"right":          {ready, ready, "{metadata: {name: demo}, status: {readyReplicas: 1}}", []string{"webapps.apps.kubedojo.io demo: status.readyReplicas: 1, was 2"}},
		"not a number":   {"{metadata: {name: demo}, status: {readyReplicas: {a: b}}}", ready, ready, []string{`webapps.apps.kubedojo.io demo: status.readyReplicas: 2, was {"a":"b"}`}},
		"another's":      {"{metadata: {name: demo}, status: {}}", "{metadata: {name: other}, status: {readyReplicas: 2}}", ready, []string{"webapps.apps.kubedojo.io demo: status.readyReplicas: 2, was not there"}},
		"late in status": {"{metadata: {name: demo}, spec: {port: 1}}", ready, "{metadata: {name: demo}, spec: {port: 2}}", []string{"webapps.apps.kubedojo.io demo: spec.port: 2, was 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			workload := objectOf(t, "deployments.apps", tc.workload)
			taken := statusOf(t, objectOf(t, "webapps.apps.kubedojo.io", tc.primary), workload)
			behind, err := late(p, taken)
			if err != nil {
				t.Fatal(err)
			}
			got, err := differences(taken, statusOf(t, objectOf(t, "webapps.apps.kubedojo.io", tc.later), workload), history.Identities{}, allowance{late: behind})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}
