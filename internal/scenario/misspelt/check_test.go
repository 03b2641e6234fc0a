package misspelt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

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
  bindings: [{name: demo, value: "(join('-', [$namespace, 'demo']))"}]
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
        resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: ($demo)}, spec: {image: a, replicas: 2, colour: red}}
        expect: [{check: {($error != null): true}}]
        outputs: [{name: made, value: (metadata.uid)}]
    - command:
        env: [{name: SECOND, value: "(join('-', [$namespace, $made]))"}]
        entrypoint: kubectl
        args: [get, pods, --namespace=$SECOND]
        check: {"(split($stdout, ' '))->words": {"(length($words))": 1}}
    - script: {env: [{name: PODS, value: ($made)}], content: 'test "$PODS"'}
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
  - command: {entrypoint: kubectl, args: [get, pods, --namespace=$NAMESPACE]}
`

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		from, to string
		want     []string
	}{
		"nothing":             {"", "", nil},
		"an object of a file": {"    - assert:\n        resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}", "    - apply: {file: o.yaml}\n    - assert:\n        resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: oo}", nil},
		"an object that no step creates": {"metadata: {name: o}, status", "metadata: {name: oo}, status", []string{
			`:28: no step creates the Observation "oo" (did you mean "o"?); there is: o`,
		}},
		"a field of the bench": {"never: new", "nevr: new", []string{
			`here/self-healing/one/chainsaw-test.yaml:16: Observation.spec has no field "nevr" (did you mean "never"?); it has:`,
		}},
		"a deeper one": {"plus: 5s", "pluss: 5s", []string{`:16: Observation.spec.within has no field "pluss" (did you mean "plus"?)`}},
		"in an assert": {"verdict: Met,", "verdikt: Met,", []string{`:28: Observation.status has no field "verdikt" (did you mean "verdict"?)`}},
		"a word":       {"verdict: Met,", "verdict: met,", []string{`:28: Observation.status.verdict cannot be "met" (did you mean "Met"?)`}},
		"a kind":       {"kind: Observation, m", "kind: Observaton, m", []string{`:28: the bench serves no reconform.dev/v1alpha1 Observaton (did you mean "Observation"?)`}},
		"a version":    {"v1alpha1, kind: Observation, m", "v1alpha2, kind: Observation, m", []string{`:28: the bench serves no reconform.dev/v1alpha2 Observation (did you mean "reconform.dev/v1alpha1"?)`}},
		"a kind of Kubernetes": {"apps.kubedojo.io/v1beta1, kind: WebApp", "apps/v1, kind: Deploymnt", []string{
			`:18: there is no apps/v1 Deploymnt (did you mean "Deployment"?)`,
		}},
		"a version of Kubernetes": {"apps.kubedojo.io/v1beta1, kind: WebApp", "apps/v2, kind: Deployment", []string{
			`:18: there is no apps/v2 Deployment (did you mean "apps/v1"?)`,
		}},
		"a group of Kubernetes": {"apps.kubedojo.io/v1beta1, kind: WebApp", "app/v1, kind: Deployment", []string{
			`:18: there is no app/v1 Deployment (did you mean "apps/v1"?)`,
		}},
		"a kind of others": {"apps.kubedojo.io/v1beta1, kind: WebApp", "apps.example.com/v1, kind: Deploymnt", nil},
		"a resource": {"resource: deployments.apps", "resource: deploymets.apps", []string{
			`:16: Observation.spec.resource: there is no resource deploymets.apps (did you mean "deployments.apps"?)`,
		}},
		"a resource without its group": {"resource: deployments.apps", "resource: deployments", []string{
			`:16: Observation.spec.resource: there is no resource deployments (did you mean "deployments.apps"?)`,
		}},
		"a resource in one number":    {"resource: deployments.apps", "resource: webapp.apps.kubedojo.io", []string{`did you mean "webapps.apps.kubedojo.io"?`}},
		"a group":                     {"resource: deployments.apps", "resource: webapps.apps.kubedojo.i", []string{`did you mean "webapps.apps.kubedojo.io"?`}},
		"a resource of others":        {"resource: deployments.apps", "resource: backups.backup.example.com", nil},
		"a resource that is computed": {"resource: deployments.apps", "resource: (join('.', ['deploymets', 'apps']))", nil},
		"resources in a template": {"start: Quiet, windowMs: 500, match: {names", "start: Quiet, windowMs: 500, match: {resources: [services, podss], names", []string{
			`here/templates/wait.yaml:8: Traffic.spec.match.resources: there is no resource podss (did you mean "pods"?)`,
		}},
		"a time without a unit": {"plus: 5s", "plus: 5", []string{
			`:16: Observation.spec.within.plus must be a text, in quotes if it could be read as something else (a time is written as in 10s), and is "5"`,
		}},
		"a word for a number":  {"windowMs: 500", "windowMs: half", []string{`here/templates/wait.yaml:8: Traffic.spec.windowMs must be a whole number, and is "half"`}},
		"no list":              {"names: [($skip)]", "names: demo, other: [($skip)]", []string{`:8: Traffic.spec.match.names must be a list, and is "demo"`, `:8: Traffic.spec.match has no field "other"`}},
		"a list for a text":    {"never: new == null", "never: [new]", []string{`:16: Observation.spec.never must be a text`}},
		"a text for a mapping": {"within: {plus: 5s}", "within: 5s", []string{`:16: Observation.spec.within must be a mapping, and is "5s"`}},
		"a binding":            {"{name: measurement, value: a}", "{name: mesurement, value: a}", []string{`:8: the template wait.yaml has no binding "mesurement" (did you mean "measurement"?); it has: measurement, skip`}},
		"a field of the WebApp": {"replicas: 2", "replica: 2", []string{
			`:18: a WebApp has no spec.replica (did you mean "replicas"?)`,
		}},
		"the word of a step": {"name: Then it", "name: Than it", []string{`:9: the name of a step begins with none of Given, When and Then (did you mean "Then"?): "Than it stays"`}},
		"none at all":        {"name: Then it stays\n    try", "try", []string{`:9: a step has no name: begin one with Given, When or Then`}},
		"a field of a step": {"stays\n    try:", "stays\n    tri:", []string{
			`:10: spec.steps has no field "tri" (did you mean "try"?); it has: bindings, catch,`,
			`:9: a step has neither operations (try) nor a template (use): it would always pass`,
		}},
		"a field of an operation": {"        outputs:", "        output:", []string{`:20: spec.steps.try.create has no field "output" (did you mean "outputs"?)`, `:22: $made is not known here`, `:26: $made is not known here`}},
		"a field of the test":     {"  bindings: [{name: demo", "  skipDelet: true\n  bindings: [{name: demo", []string{`:5: spec has no field "skipDelet" (did you mean "skipDelete"?)`}},
		"no step that judges":     {"name: Then it stays", "name: When it stays", []string{`:7: no step begins with Then, so nothing is judged: it would always pass`}},
		"a timeout":               {"        entrypoint: kubectl", "        timeout: 5 seconds\n        entrypoint: kubectl", []string{`:23: spec.steps.try.command.timeout must be a time such as 10s, and is "5 seconds"`}},
		"a field of a template": {"spec:\n  bindings: [{name: measurement", "spec:\n  bindngs: []\n  bindings: [{name: measurement", []string{
			`here/templates/wait.yaml:5: spec has no field "bindngs" (did you mean "bindings"?)`,
		}},
		"a template": {"templates/wait.yaml", "templates/wiat.yaml", []string{`:8: there is no template ../../templates/wiat.yaml (did you mean "wait.yaml"?)`}},
		"in a template": {"start: Quiet", "strat: Quiet", []string{
			`here/templates/wait.yaml:8: Traffic.spec has no field "strat" (did you mean "start"?)`,
		}},
		"a variable": {"name: ($demo)", "name: ($dmo)", []string{`:18: $dmo is not known here, as there is no binding of that name (did you mean "$demo"?); there are: $namespace,`}},
		"in a key":   {"length($words)", "length($wrds)", []string{`:25: $wrds is not known here, as there is no binding of that name (did you mean "$words"?)`}},
		"of Chainsaw, in a binding": {"[$namespace, 'demo", "[$namespce, 'demo", []string{
			`:5: $namespce is not known here, as there is no binding of that name (did you mean "$namespace"?)`,
		}},
		"an output":                      {"[$namespace, $made]", "[$namespace, $mad]", []string{`:22: $mad is not known here, as there is no binding of that name (did you mean "$made"?)`}},
		"of the answer, before there is": {"colour: red", "colour: ($error)", []string{`:18: $error is not known here`}},
		"one that only a key names":      {"[$namespace, $made]", "[$namespace, $words]", []string{`:22: $words is not known here`}},
		"in the environment of a script": {"value: ($made)", "value: ($mad)", []string{`:26: $mad is not known here`}},
		"of the environment":             {"namespace=$SECOND", "namespace=$SCOND", []string{`:24: $SCOND is not known here, as there is no env of that name (did you mean "$SECOND"?); there are: $NAMESPACE, $SECOND`}},
		"of the environment, in a template": {"namespace=$NAMESPACE", "namespace=$NAMESPCE", []string{
			`here/templates/wait.yaml:9: $NAMESPCE is not known here, as there is no env of that name (did you mean "$NAMESPACE"?)`,
		}},
		"that a template needs": {", {name: skip, value: 1}", "", []string{`:8: the template wait.yaml needs $skip, and nothing here gives it`}},
		"mistyped in a template": {"name: ($measurement)", "name: ($mesurement)", []string{
			`:8: the template wait.yaml needs $mesurement, and nothing here gives it (did you mean "$measurement"?)`,
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
