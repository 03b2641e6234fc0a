package misspelt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestOwnScenarios: nothing is mistyped in the scenarios that there are.
func TestOwnScenarios(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(all, "scenarios"); err != nil {
		t.Error(err)
	}
}

const scenario = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: sh-001}
spec:
  steps:
  - name: Given the controller
    use: {template: ../../templates/wait.yaml, with: {bindings: [{name: measurement, value: a}, {name: skip, value: 1}]}}
  - name: Then it stays
    try:
    - create:
        resource:
          apiVersion: reconform.dev/v1alpha1
          kind: Observation
          metadata: {name: o, labels: {any: thing}}
          spec: {resource: deployments.apps, never: new == null, within: {plus: 5s}}
    - create:
        resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {image: a, replicas: 2, colour: red}}
    - assert:
        resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, status: {verdict: Met, (message != ''): true}}
`

const stepTemplate = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: StepTemplate
metadata: {name: wait}
spec:
  bindings: [{name: measurement, value: quiet}]
  try:
  - create:
      resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: ($measurement)}, spec: {start: Quiet, windowMs: 500, match: {names: [($skip)]}}}
`

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		from, to string
		want     []string
	}{
		"nothing": {"", "", nil},
		"a field of the bench": {"never: new", "nevr: new", []string{
			`here/self-healing/one/chainsaw-test.yaml:15: Observation.spec has no field "nevr"; did you mean "never"?; it has:`,
		}},
		"a deeper one": {"plus: 5s", "pluss: 5s", []string{`:15: Observation.spec.within has no field "pluss"; did you mean "plus"?`}},
		"in an assert": {"verdict: Met,", "verdikt: Met,", []string{`:19: Observation.status has no field "verdikt"; did you mean "verdict"?`}},
		"a word":       {"verdict: Met,", "verdict: met,", []string{`:19: Observation.status.verdict cannot be "met"; did you mean "Met"?`}},
		"a kind":       {"kind: Observation, m", "kind: Observaton, m", []string{`:19: the bench serves no reconform.dev/v1alpha1 Observaton; did you mean "Observation"?`}},
		"a binding":    {"{name: measurement, value: a}", "{name: mesurement, value: a}", []string{`:7: the template wait.yaml has no binding "mesurement"; did you mean "measurement"?; it has: measurement, skip`}},
		"a field of the WebApp": {"replicas: 2", "replica: 2", []string{
			`:17: a WebApp has no spec.replica; did you mean "replicas"?`,
		}},
		"the word of a step": {"name: Then it", "name: Than it", []string{`:8: the name of a step begins with none of Given, When and Then; did you mean "Then"?: "Than it stays"`}},
		"none at all":        {"name: Then it stays\n    try", "try", []string{`:8: a step has no name: begin one with Given, When or Then`}},
		"a template":         {"templates/wait.yaml", "templates/wiat.yaml", []string{`:7: there is no template ../../templates/wiat.yaml; did you mean "wait.yaml"?`}},
		"in a template": {"start: Quiet", "strat: Quiet", []string{
			`here/templates/wait.yaml:8: Traffic.spec has no field "strat"; did you mean "start"?`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			changed := func(text string) []byte { return []byte(strings.Replace(text, tc.from, tc.to, 1)) }
			const file = "self-healing/one/chainsaw-test.yaml"
			files := fstest.MapFS{file: {Data: changed(scenario)}, "templates/wait.yaml": {Data: changed(stepTemplate)}}
			err := Check([]catalogue.Requirement{{Source: files, Path: file, Raw: files[file].Data}}, "here")
			var got []string
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(tc.want, got, cmp.Comparer(func(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) })); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
