package render

import "testing"

// parsed is a scenario with bindings and these operations in its one step.
func parsed(t *testing.T, operations string) *Scenario {
	t.Helper()
	s, err := Parse("chainsaw-test.yaml", []byte(`apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: t}
spec:
  bindings: [{name: one, value: 1}, {name: two, value: 2}]
  steps:
  - bindings: [{name: many, value: ($two)}]
    try:
`+operations))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSeveralReplicas(t *testing.T) {
	const subject = "resource: {apiVersion: reconform.dev/v1alpha1, kind: Subject, metadata: {name: subject}, spec: {"
	for name, tc := range map[string]struct {
		operations string
		want       bool
	}{
		"one":               {"    - apply: {" + subject + "replicas: 1}}}", false},
		"two":               {"    - apply: {" + subject + "replicas: 2, leaderElection: true}}}", true},
		"the default":       {"    - create: {" + subject + "leaderElection: true}}}", false},
		"a second later":    {"    - apply: {" + subject + "replicas: 1}}}\n    - patch: {" + subject + "replicas: 2}}}", true},
		"bound to one":      {"    - apply: {" + subject + "replicas: ($one)}}}", false},
		"bound to two":      {"    - apply: {" + subject + "replicas: ($many)}}}", true},
		"bound there":       {"    - apply: {bindings: [{name: many, value: 1}], " + subject + "replicas: ($many)}}}", false},
		"computed":          {"    - apply: {" + subject + "replicas: ($one + $one)}}}", true},
		"only looked for":   {"    - assert: {" + subject + "replicas: 2}}}", false},
		"of something else": {"    - apply: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 2}}}", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parsed(t, tc.operations).SeveralReplicas(); got != tc.want {
				t.Errorf("SeveralReplicas = %t", got)
			}
		})
	}
}
