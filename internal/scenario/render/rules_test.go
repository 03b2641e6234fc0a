package render

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile"
)

// site is a profile that differs from the reference wherever it can.
const site = `
apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata: {name: site}
spec:
  implementation: {name: site}
  contract:
    resource: {group: example.com, version: v1, kind: Site, plural: sites}
    spec:
      image: {path: spec.container.image}
      replicas: {path: spec.size}
      port: {constant: 80}
    status:
      phase: {path: status.state.phase}
      readyReplicas: {path: status.ready}
    base: {owner: "team-{{ .name }}", container: {pull: Always}}
    phases: {Running: Up}
    children:
      deployment: {name: "{{ .spec.owner }}-web", container: web}
      service: {name: "{{ .name }}-svc"}
    bounds: {replicas: {minimum: 2, maximum: 9}}
  claims: {unowned: refuse, cleanup: gc, times: {longestRetryPause: 1500ms}, metrics: {errors: site_errors_total}}
  install: {crds: [crd.yaml], rbac: [rbac.yaml]}
  launch: {command: [./site]}
`

func siteProfile(t testing.TB, oldnew ...string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("site.yaml", []byte(strings.NewReplacer(oldnew...).Replace(site)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// create is the operation that most scenarios start with.
const create = "- create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {image: a:1, replicas: 3, port: 8080}}}\n"

// webapp and deployment begin the resources of operations.
const (
	webapp     = "apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}"
	deployment = "apiVersion: apps/v1, kind: Deployment, metadata: {name: demo}"
	service    = "apiVersion: v1, kind: Service, metadata: {name: demo}"
	mySite     = "apiVersion: example.com/v1, kind: Site, metadata: {name: demo}"
	myChild    = "apiVersion: apps/v1, kind: Deployment, metadata: {name: team-demo-web}"
	myService  = "apiVersion: v1, kind: Service, metadata: {name: demo-svc}"
	created    = "- create: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a:1}, size: 3}}}\n"
	check      = "- assert: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}\n"
)

// expressionKey is an expression as a key of a flow mapping, which YAML wants
// in quotes.
var expressionKey = regexp.MustCompile(`([{,] ?)(\(.*?\)): `)

func scenario(operations string) string {
	operations = expressionKey.ReplaceAllString(operations, `$1"$2": `)
	return "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: xx-001}\nspec:\n  steps:\n  - try:\n" + indent(operations)
}

func indent(operations string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(operations, "\n"), "\n", "\n    ") + "\n"
}

func TestRules(t *testing.T) {
	for name, tc := range map[string]rendering{
		"spec moves, a constant is dropped, the base goes under": {
			operations: create + check, want: created + check,
		},
		"a patch moves, and is merged with nothing": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {replicas: 5}}}\n" + check,
			want:       created + "- patch: {resource: {" + mySite + ", spec: {size: 5}}}\n" + check,
		},
		"an apply that repeats a constant": {
			operations: create + "- apply: {resource: {" + webapp + ", spec: {replicas: 5, port: 8080}}}\n" + check,
			want:       created + "- apply: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always}, size: 5}}}\n" + check,
		},
		"a patch of a constant": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {port: 9090}}}\n" + check,
			skip:       "it changes port of demo, which is always 80 in this implementation",
		},
		"a patch of a field that does not exist": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {env: {A: b}}}}\n" + check,
			skip:       "it changes env of demo, which this implementation does not have",
		},
		"deleted and made again, with another constant": {
			operations: create + "- delete: {ref: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, name: demo}}\n" + strings.Replace(create, "8080", "9090", 1) + check,
			want:       created + "- delete: {ref: {apiVersion: example.com/v1, kind: Site, name: demo}}\n" + created + check,
		},
		"the same name in another namespace": {
			operations: create + "- create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo, namespace: other}, spec: {port: 1}}}\n" + check,
			want:       created + "- create: {resource: {apiVersion: example.com/v1, kind: Site, metadata: {name: demo, namespace: other}, spec: {owner: team-demo, container: {pull: Always}}}}\n" + check,
		},
		"a status is asserted where it is, with its phase": {
			operations: create + "- assert: {resource: {" + webapp + ", status: {phase: Running, readyReplicas: 3}, (status.readyReplicas == spec.replicas): true}}\n",
			want:       created + "- assert: {resource: {" + mySite + ", status: {state: {phase: Up}, ready: 3}, (status.ready == spec.size): true}}\n",
		},
		"expressions below the status": {
			operations: create + "- assert: {resource: {" + webapp + `, status: {"(phase == 'Running' && readyReplicas > ` + "`0`" + `)": true, "(x[?phase == 'y'])": []}}}` + "\n",
			want:       created + "- assert: {resource: {" + mySite + `, status: {"(state.phase == 'Up' && ready > ` + "`0`" + `)": true, "(x[?phase == 'y'])": []}}}` + "\n",
		},
		"a status that does not exist": {
			operations: create + "- assert: {resource: {" + webapp + ", status: {serviceURL: x}}}\n",
			skip:       "it looks at status.serviceURL, which this implementation does not have",
		},
		"a status that does not exist, in an expression": {
			operations: create + "- assert: {resource: {" + webapp + ", status: {(conditions[?type == 'Available']): []}}}\n",
			skip:       "it looks at status.conditions, which this implementation does not have",
		},
		"a status that does not exist, at the root": {
			operations: create + "- assert: {resource: {" + webapp + ", (status.observedGeneration == metadata.generation): true}}\n",
			skip:       "it looks at status.observedGeneration, which this implementation does not have",
		},
		"a patch of the status": {
			operations: create + "- patch: {subresource: status, resource: {" + webapp + ", status: {phase: Running}}}\n" + check,
			want:       created + "- patch: {subresource: status, resource: {" + mySite + ", status: {state: {phase: Up}}}}\n" + check,
		},
		"children have their names, containers and constants": {
			operations: create + "- assert: {resource: {" + deployment + ", spec: {replicas: 3, template: {spec: {(containers[?name == 'app']): [{image: a:1, ports: [{containerPort: 8080}]}]}}}}}\n" +
				"- assert: {resource: {" + service + ", spec: {ports: [{port: 8080}]}}}\n",
			want: created + "- assert: {resource: {" + myChild + ", spec: {replicas: 3, template: {spec: {(containers[?name == 'web']): [{image: a:1, ports: [{containerPort: 80}]}]}}}}}\n" +
				"- assert: {resource: {" + myService + ", spec: {ports: [{port: 80}]}}}\n",
		},
		"what shows a field that does not exist is not asserted": {
			operations: create + "- assert: {resource: {" + deployment + ", spec: {template: {spec: {(containers[?name == 'app']): [{image: a:1, env: [{name: A}], (env[0].value): b}]}}}}}\n",
			want:       created + "- assert: {resource: {" + myChild + ", spec: {template: {spec: {(containers[?name == 'web']): [{image: a:1}]}}}}}\n",
		},
		"an error that loses a part of its pattern goes": {
			operations: create + "- error: {resource: {" + deployment + ", spec: {template: {spec: {(containers[?name == 'app']): [{env: []}]}}}}}\n" + check,
			want:       created + check,
		},
		"fields of a child compared with each other stay": {
			operations: create + "- assert: {resource: {" + deployment + ", (spec.replicas == status.readyReplicas): true}}\n",
			want: strings.Replace(created, ", size: 3", "", 1) +
				"- assert: {resource: {" + myChild + ", (spec.replicas == status.readyReplicas): true}}\n",
			edits: []string{"replicas: {path: spec.size}", "", "bounds: {replicas: {minimum: 2, maximum: 9}}", ""},
		},
		"a Deployment of the scenario's own": {
			operations: create + "- create: {resource: {" + deployment + ", spec: {template: {spec: {containers: [{name: app, image: f:1, env: []}, {name: side}]}}}}}\n" + check,
			want:       created + "- create: {resource: {" + myChild + ", spec: {template: {spec: {containers: [{name: web, image: f:1, env: []}, {name: side}]}}}}}\n" + check,
		},
		"another Deployment": {
			operations: create + "- assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: mine}}}\n",
			want:       created + "- assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: mine}}}\n",
		},
		"references to owners and children": {
			operations: create + "- assert: {resource: {apiVersion: apps/v1, kind: ReplicaSet, metadata: {(ownerReferences[?kind == 'Deployment']): [{name: demo}]}}}\n" +
				"- assert: {resource: {" + strings.Replace(deployment, "name: demo", "name: demo, (ownerReferences[?kind == 'WebApp']): [{name: demo}]", 1) + "}}\n" +
				"- assert: {resource: {apiVersion: v1, kind: Event, involvedObject: {kind: Deployment, name: demo}}}\n",
			want: created + "- assert: {resource: {apiVersion: apps/v1, kind: ReplicaSet, metadata: {(ownerReferences[?kind == 'Deployment']): [{name: team-demo-web}]}}}\n" +
				"- assert: {resource: {" + strings.Replace(myChild, "name: team-demo-web", "name: team-demo-web, (ownerReferences[?kind == 'Site']): [{name: demo}]", 1) + "}}\n" +
				"- assert: {resource: {apiVersion: v1, kind: Event, involvedObject: {kind: Deployment, name: team-demo-web}}}\n",
		},
		"EndpointSlices are the Service's": {
			operations: create + "- assert: {resource: {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {labels: {kubernetes.io/service-name: demo}}}}\n",
			want:       created + "- assert: {resource: {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {labels: {kubernetes.io/service-name: demo-svc}}}}\n",
		},
		"no Service, looked at": {
			operations: create + check + "- assert: {resource: {" + service + "}}\n- error: {resource: {" + service + "}}\n- wait: {apiVersion: v1, kind: Service, name: demo, for: {deletion: {}}}\n- command: {entrypoint: kubectl, args: [get, svc, demo]}\n",
			want:       created + check, edits: []string{`service: {name: "{{ .name }}-svc"}`, ""},
		},
		"no Service, changed": {
			operations: create + check + "- patch: {resource: {" + service + "}}\n",
			skip:       "it changes Service demo, and the implementation makes none", edits: []string{`service: {name: "{{ .name }}-svc"}`, ""},
		},
		"no Service, deleted with kubectl": {
			operations: create + check + "- command: {entrypoint: kubectl, args: [delete, service/demo]}\n",
			skip:       "it runs kubectl delete on a Service, and the implementation makes none", edits: []string{`service: {name: "{{ .name }}-svc"}`, ""},
		},
		"no Service, observed": {
			operations: create + check + "- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: services, name: demo, never: new == null}}}\n- assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, status: {violations: []}}}\n",
			want:       created + check, edits: []string{`service: {name: "{{ .name }}-svc"}`, ""},
		},
		"nothing left to assert": {
			operations: create + "- assert: {resource: {" + service + "}}\n",
			skip:       "nothing that it asserts exists in this implementation", edits: []string{`service: {name: "{{ .name }}-svc"}`, ""},
		},
		"kubectl": {
			operations: create + check + "- command: {entrypoint: kubectl, args: [set, image, deployment/demo, app=f:1]}\n" +
				"- command: {entrypoint: kubectl, args: [scale, deployment, demo, --replicas=7]}\n" +
				"- command: {entrypoint: kubectl, args: [annotate, webapp, demo, app=x]}\n" +
				"- command: {entrypoint: kubectl, args: [get, 'webapps,deployments', --no-headers]}\n" +
				"- command: {entrypoint: kubectl, args: [get, webapp/demo, -o, 'jsonpath={.status.phase}'], check: {($stdout == 'Running'): true}}\n" +
				`- command: {entrypoint: kubectl, args: [patch, webapps, demo, --type, merge, -p, '{"spec":{"replicas":4}}']}` + "\n" +
				`- command: {entrypoint: kubectl, args: [patch, wa, demo, --type=json, '--patch=[{"op":"add","path":"/spec/image","value":"b"}]']}` + "\n" +
				"- command: {entrypoint: kubectl, args: [describe, webapps.apps.kubedojo.io]}\n",
			want: created + check + "- command: {entrypoint: kubectl, args: [set, image, deployment/team-demo-web, web=f:1]}\n" +
				"- command: {entrypoint: kubectl, args: [scale, deployment, team-demo-web, --replicas=7]}\n" +
				"- command: {entrypoint: kubectl, args: [annotate, sites.example.com, demo, app=x]}\n" +
				"- command: {entrypoint: kubectl, args: [get, 'sites.example.com,deployments', --no-headers]}\n" +
				"- command: {entrypoint: kubectl, args: [get, sites.example.com/demo, '--output=jsonpath={.status.state.phase}'], check: {($stdout == 'Up'): true}}\n" +
				`- command: {entrypoint: kubectl, args: [patch, sites.example.com, demo, --type=merge, '--patch={"spec":{"size":4}}']}` + "\n" +
				`- command: {entrypoint: kubectl, args: [patch, sites.example.com, demo, --type=json, '--patch=[{"op":"add","path":"/spec/container/image","value":"b"}]']}` + "\n" +
				"- command: {entrypoint: kubectl, args: [describe, sites.example.com]}\n",
		},
		"a refusal of a field that exists": {
			operations: "- apply: {resource: {" + webapp + ", spec: {image: a, port: 1, replicas: 99}}, expect: [{check: {($error != null): true, (contains($error, 'spec.replicas')): true}}]}\n" + check,
			want:       "- apply: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a}, size: 99}}, expect: [{check: {($error != null): true, (contains($error, 'spec.size')): true}}]}\n" + check,
		},
		"refusals, one of a field that does not exist": {
			operations: "- apply: {resource: {" + webapp + ", spec: {port: 0}}, expect: [{check: {($error != null): true, (contains($error, 'spec.port')): true}}]}\n" +
				"- apply: {resource: {" + webapp + ", spec: {replicas: 0}}, expect: [{check: {($error != null): true, (contains($error, 'spec.replicas')): true}}]}\n" + check,
			want: "- apply: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always}, size: 0}}, expect: [{check: {($error != null): true, (contains($error, 'spec.size')): true}}]}\n" + check,
		},
		"a refusal of a field that does not exist": {
			operations: "- apply: {resource: {" + webapp + ", spec: {port: 0}}, expect: [{check: {($error != null): true}}]}\n" + check,
			skip:       "it expects a refusal of port, which is always 80 in this implementation",
		},
		"an Observation of the primary": {
			operations: create + check + `- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: webapps, name: demo, never: "new.status.phase == 'Running' && new.?status.?readyReplicas.orValue(0) < new.spec.replicas"}}}` + "\n",
			want:       created + check + `- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: sites, name: demo, never: "new.status.state.phase == \"Up\" && new.?status.?ready.orValue(0) < new.spec.size"}}}` + "\n",
		},
		"an Observation of events on the primary": {
			operations: create + check + `- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: events, where: new.involvedObject.kind == 'WebApp', never: new.reason == claims.events.created}}}` + "\n",
			want:       created + check + `- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: events, where: new.involvedObject.kind == "Site", never: new.reason == claims.events.created}}}` + "\n",
			edits:      []string{"claims: {", "claims: {events: {created: Made}, "},
		},
		"an Observation that needs what is not claimed": {
			operations: create + check + `- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: events, never: new.reason == claims.events.updated}}}` + "\n",
			edits:      []string{"claims: {", "claims: {events: {created: Made}, "},
			skip:       "its rule needs claims.events.updated, and the profile has none",
		},
		"an Observation of something that the primary does not have": {
			operations: create + check + `- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: webapps, never: "has(new.status.conditions)"}}}` + "\n",
			skip:       "it looks at status.conditions, which this implementation does not have",
		},
		"an Observation of a child": {
			operations: create + check + `- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: deployments.apps, name: demo, never: "new.spec.template.spec.containers.exists(c, c.name == 'app')"}}}` + "\n",
			want:       created + check + `- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: deployments.apps, name: team-demo-web, never: "new.spec.template.spec.containers.exists(c, c.name == \"web\")"}}}` + "\n",
		},
		"a Traffic": {
			operations: create + check + "- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: t}, spec: {match: {resources: [deployments.apps, webapps.apps.kubedojo.io], names: [demo]}}}}\n",
			want:       created + check + "- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: t}, spec: {match: {resources: [deployments.apps, sites.example.com], names: [team-demo-web, demo]}}}}\n",
		},
		"a name that is an expression": {
			operations: "- create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: ($n)}}}\n- assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: ($n)}}}\n",
			want:       "- create: {resource: {apiVersion: example.com/v1, kind: Site, metadata: {name: ($n)}, spec: {container: {pull: Always}, owner: \"(join('', ['team-', $n]))\"}}}\n- assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: \"(join('', ['team-', $n, '-web']))\"}}}\n",
		},
		"look-ups in expressions": {
			operations: create + "- assert: {bindings: [{name: a, value: \"(x_k8s_get($client, 'apps/v1', 'Deployment', $namespace, 'demo').spec.replicas)\"}, {name: b, value: \"(x_k8s_get($client, 'apps.kubedojo.io/v1beta1', 'WebApp', $namespace, 'demo').spec.replicas)\"}], resource: {apiVersion: v1, kind: Pod}}\n",
			want:       created + "- assert: {bindings: [{name: a, value: \"(x_k8s_get($client, 'apps/v1', 'Deployment', $namespace, 'team-demo-web').spec.replicas)\"}, {name: b, value: \"(x_k8s_get($client, 'example.com/v1', 'Site', $namespace, 'demo').spec.size)\"}], resource: {apiVersion: v1, kind: Pod}}\n",
		},
		"words that only look like the contract's": {
			operations: create + "- assert: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: webapp-controller, b: WebApp}}, data: {c: 'webapps, spec.replicas', image: demo, phase: Running}}}\n",
			want:       created + "- assert: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: webapp-controller, b: WebApp}}, data: {c: 'webapps, spec.replicas', image: demo, phase: Running}}}\n",
		},
		"waiting": {
			operations: create + "- wait: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, name: demo, for: {jsonPath: {path: '{.status.phase}', value: Running}}}\n- wait: {apiVersion: apps/v1, kind: Deployment, name: demo, for: {deletion: {}}}\n",
			want:       created + "- wait: {apiVersion: example.com/v1, kind: Site, name: demo, for: {jsonPath: {path: '{.status.state.phase}', value: Up}}}\n- wait: {apiVersion: apps/v1, kind: Deployment, name: team-demo-web, for: {deletion: {}}}\n",
		},
	} {
		t.Run(name, tc.check)
	}
}

// rendering is the operations of a scenario, and the expected result for the profile of
// Sites.
type rendering struct {
	operations string
	want       string   // operations, or
	skip       string   // the reason
	edits      []string // of the profile
}

func (tc rendering) check(t *testing.T) { tc.holds(t, scenario) }

// holds renders the operations, which the function scenario turns into a scenario.
func (tc rendering) holds(t *testing.T, scenario func(string) string) {
	t.Helper()
	s, err := parse("xx/chainsaw-test.yaml", []byte(scenario(tc.operations)), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Render(s, siteProfile(t, tc.edits...))
	if tc.skip != "" {
		var skip *Skip
		if !errors.As(err, &skip) || skip.Reason != tc.skip {
			t.Fatalf("got %v, want the scenario skipped: %s", err, tc.skip)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decoded(t, []byte(scenario(tc.want))), decoded(t, got)); diff != "" {
		t.Error(diff)
	}
	before, err := yaml.Marshal(s.root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decoded(t, []byte(scenario(tc.operations))), decoded(t, before)); diff != "" {
		t.Errorf("the scenario itself was changed: %s", diff)
	}
}

func TestBindings(t *testing.T) {
	text := strings.Replace(scenario(create+"- assert: {resource: {apiVersion: v1, kind: Pod, x: ($maxReplicas)}}\n"), "spec:\n  steps", `spec:
  bindings:
  - {name: defaultReplicas, value: 2}
  - {name: defaultPort, value: 8080}
  - {name: maxReplicas, value: 50}
  - {name: mine, value: WebApp}
  steps`, 1)
	s, err := parse("x/chainsaw-test.yaml", []byte(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Render(s, siteProfile(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Name  string
		Value any
	}
	if err := at(r.root, "spec", "bindings").Decode(&got); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, b := range got {
		values[b.Name] = b.Value
	}
	// The profile has no default for the replicas, and nothing asks for one.
	want := map[string]any{"defaultReplicas": 2, "defaultPort": 80, "maxReplicas": 9, "mine": "WebApp"}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
	_, err = Render(s, siteProfile(t, "bounds: {replicas: {minimum: 2, maximum: 9}}", ""))
	if err == nil || err.Error() != "xx-001 cannot be mapped: it needs maxReplicas, and the profile has no contract.bounds.replicas" {
		t.Errorf("got %v", err)
	}
}

func TestInvalidScenarios(t *testing.T) {
	dir := t.TempDir()
	template := "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: StepTemplate\nmetadata: {name: t}\nspec:\n  try:\n  - assert: {file: x.yaml}\n"
	if err := os.WriteFile(filepath.Join(dir, "template.yaml"), []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, FileName)
	for name, tc := range map[string]struct{ text, want string }{
		"empty":             {"", ": not a Test: EOF"},
		"another kind":      {"apiVersion: v1\nkind: Pod\n", ":1: v1 Pod is not a chainsaw.kyverno.io/v1alpha1 Test"},
		"key twice":         {"apiVersion: v1\napiVersion: v1\n", "line 2: mapping key \"apiVersion\" already defined at line 1"},
		"two documents":     {scenario(check) + "---\na: b\n", ":8: a second document: a file holds one Test"},
		"no steps":          {strings.Replace(scenario(check), "steps:", "steps: []\n  x:", 1), ":1: spec.steps: a scenario needs steps"},
		"no such template":  {strings.Replace(scenario(check), "- try", "- use: {template: nix.yaml}\n    try", 1), ":6: use.template: open "},
		"unknown operation": {scenario("- aply: {}\n"), `:7: "aply" is not an operation that scenarios may have (did you mean "apply"?); they may have: apply, assert, command, `},
		"no resource":       {scenario("- apply: {resourc: {kind: Pod}}\n"), `:7: apply has no resource: write the object below "resource:"`},
		"a file":            {scenario("- apply: {file: x.yaml}\n"), ":7: apply: the resource must be given in place, not in a file"},
		"a file, template":  {strings.Replace(scenario(check), "- try", "- use: {template: template.yaml}\n    try", 1), "template.yaml:6: assert: the resource must be given in place, not in a file"},
		"an alias":          {scenario("- apply: &a {}\n- apply: *a\n"), ":8: an alias: write it out, or use a step template"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := parse(file, []byte(tc.text), os.ReadFile)
			if err == nil {
				_, err = Render(s, siteProfile(t))
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), dir) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
