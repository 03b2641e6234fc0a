package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutsideOfTheDialect: what can only be mapped by a guess is an error with its
// place when the scenario is loaded.
func TestOutsideOfTheDialect(t *testing.T) {
	assert := func(key string) string {
		return create + "- assert:\n    resource:\n      apiVersion: apps.kubedojo.io/v1beta1\n      kind: WebApp\n      metadata: {name: demo}\n      \"" + key + "\": true\n"
	}
	observe := func(rule string) string {
		return create + "- create:\n    resource:\n      apiVersion: reconform.dev/v1alpha1\n      kind: Observation\n      spec:\n        resource: webapps.apps.kubedojo.io\n        eventually: " + rule + "\n"
	}
	for name, tc := range map[string]struct{ operations, want string }{
		"broken":             {assert("(status.phase ==)"), ":13: SyntaxError"},
		"another language":   {assert("(cel;true)"), ":13: an expression of cel"},
		"a function":         {assert("(random('a') == 'b')"), ":13: the function random is not allowed"},
		"a whole object":     {assert("(items(spec, 'a', 'b'))"), ":13: items takes spec of WebApp as a whole"},
		"all fields":         {assert("(spec.*)"), ":13: all fields of spec of WebApp"},
		"a part of a phase":  {assert("(starts_with(status.phase, 'Run'))"), ":13: starts_with looks for a part of status.phase of WebApp"},
		"an unknown phase":   {assert("(status.phase == $phase)"), ":13: status.phase of WebApp is compared with a value that is not known here"},
		"one of two kinds":   {assert("([spec, x_k8s_get($client, 'apps/v1', 'Deployment', $namespace, 'demo').spec][].replicas)"), ""},
		"an unknown look-up": {assert("(x_k8s_get($client, $api, 'WebApp', $namespace, 'demo'))"), ":13: x_k8s_get needs the apiVersion and the kind"},
		"a made object":      {assert("({a: spec})"), ":13: an object made in an expression takes spec of WebApp as a whole"},
		"compared whole":     {assert("(spec == $before)"), ":13: spec of WebApp is compared as a whole"},
		"a script":           {create + "- script: {content: 'kubectl get webapps'}\n", `:8: "script" is not an operation that scenarios may have; they may have: `},
		"another command":    {create + "- command: {entrypoint: curl, args: [x]}\n", ":8: command: only kubectl is allowed"},
		"another verb":       {create + "- command: {entrypoint: kubectl, args: [exec, pod/demo]}\n", ":8: kubectl exec is not allowed"},
		"another output":     {create + "- command: {entrypoint: kubectl, args: [get, webapp/demo, '--output=go-template={{.spec}}']}\n", ":8: the output go-template={{.spec}} is not allowed"},
		"another JSONPath":   {create + "- command: {entrypoint: kubectl, args: [get, webapp/demo, '--output=jsonpath={.items[*].spec}']}\n", ":8: the JSONPath {.items[*].spec} is not a path of fields"},
		"a rule":             {observe("new.status.phase.startsWith('Run')"), ":14: eventually: startsWith takes status.phase of WebApp apart"},
		"a broken rule":      {observe("new.status.phase =="), ":14: eventually: reading new.status.phase ==: ERROR"},
		"a rule of a rule":   {observe("($rule)"), ":14: eventually: the rule must be CEL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse("xx/"+FileName, []byte(scenarioText(tc.operations)), os.ReadFile)
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "xx/"+FileName+tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// scenarioText is a scenario of operations that are written as blocks.
func scenarioText(operations string) string {
	return "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: xx-001}\nspec:\n  steps:\n  - try:\n" + indent(operations)
}

// TestPlaceInATemplate checks that an error names the file that it is in.
func TestPlaceInATemplate(t *testing.T) {
	dir := t.TempDir()
	template := "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: StepTemplate\nmetadata: {name: t}\nspec:\n  try:\n  - assert: {resource: {apiVersion: v1, kind: Pod, \"(random('a'))\": b}}\n"
	if err := os.WriteFile(filepath.Join(dir, "template.yaml"), []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(scenario(check), "- try", "- use: {template: template.yaml}\n    try", 1)
	_, err := parse(filepath.Join(dir, FileName), []byte(text), os.ReadFile)
	if want := filepath.Join(dir, "template.yaml") + ":6: the function random is not allowed"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestFieldsAreFollowed checks that what comes from a field of the contract is mapped,
// and what only looks like it is not.
func TestFieldsAreFollowed(t *testing.T) {
	get := func(api, kind, name string) string {
		return "x_k8s_get($client, '" + api + "', '" + kind + "', $namespace, '" + name + "')"
	}
	list := func(api, kind string) string { return "x_k8s_list($client, '" + api + "', '" + kind + "', $namespace)" }
	key := func(expression string) string {
		return "- assert:\n    resource:\n      \"(" + expression + ")\": true\n"
	}
	const theirs, mine = "apps.kubedojo.io/v1beta1", "example.com/v1"
	for name, tc := range map[string]struct{ from, to string }{
		"a phase, not that of a Pod": {
			key(get(theirs, "WebApp", "demo") + ".status.phase == 'Running' && " + get("v1", "Pod", "demo") + ".status.phase == 'Running'"),
			key(get(mine, "Site", "demo") + ".status.state.phase == 'Up' && " + get("v1", "Pod", "demo") + ".status.phase == 'Running'"),
		},
		"through lists, filters and pipes": {
			key("length(" + list(theirs, "WebApp") + ".items[?spec.replicas > `1` && metadata.name == 'a'].status[] | [?phase == 'Running'].readyReplicas) == `2`"),
			key("length(" + list(mine, "Site") + ".items[?spec.size > `1` && metadata.name == 'a'].status[] | [?state.phase == 'Up'].ready) == `2`"),
		},
		"through functions for each": {
			key("max_by(" + list(theirs, "WebApp") + ".items, &to_number(metadata.resourceVersion)).spec.image == 'x' && map(&spec.replicas, " + list(theirs, "WebApp") + ".items)[0] == `1`"),
			key("max_by(" + list(mine, "Site") + ".items, &to_number(metadata.resourceVersion)).spec.container.image == 'x' && map(&spec.size, " + list(mine, "Site") + ".items)[0] == `1`"),
		},
		"names of children, of the kind that they are": {
			key(list("apps/v1", "Deployment") + ".items[?metadata.name == 'demo'] && " + list("v1", "ConfigMap") + ".items[?metadata.name == 'demo']"),
			key(list("apps/v1", "Deployment") + ".items[?metadata.name == 'team-demo-web'] && " + list("v1", "ConfigMap") + ".items[?metadata.name == 'demo']"),
		},
		"owners": {
			key(list("apps/v1", "Deployment") + ".items[].metadata.ownerReferences[] | [?kind == 'WebApp' && name == 'demo' && apiVersion == 'apps.kubedojo.io/v1beta1']"),
			key(list("apps/v1", "Deployment") + ".items[].metadata.ownerReferences[] | [?kind == 'Site' && name == 'demo' && apiVersion == 'example.com/v1']"),
		},
		"one of several": {
			key("contains(['Running', 'Degraded'], " + get(theirs, "WebApp", "demo") + ".status.phase)"),
			key("contains(['Up', 'Degraded'], " + get(mine, "Site", "demo") + ".status.state.phase)"),
		},
		"all of a status": {
			key(get(theirs, "WebApp", "demo") + ".status.*[] | [?type == 'a' && @ != 'b']"),
			key(get(mine, "Site", "demo") + ".status.*[] | [?type == 'a' && @ != 'b']"),
		},
		"a definition": {
			key(get("apiextensions.k8s.io/v1", "CustomResourceDefinition", "webapps.apps.kubedojo.io") + ".spec.group == 'apps.kubedojo.io'"),
			key(get("apiextensions.k8s.io/v1", "CustomResourceDefinition", "sites.example.com") + ".spec.group == 'example.com'"),
		},
		"whether there is a kind": {
			key("x_k8s_resource_exists($client, '" + theirs + "', 'WebApp') && x_k8s_resource_exists($client, 'v1', 'Pod')"),
			key("x_k8s_resource_exists($client, '" + mine + "', 'Site') && x_k8s_resource_exists($client, 'v1', 'Pod')"),
		},
		"through a variable": {
			"- assert:\n    bindings: [{name: w, value: \"(" + get(theirs, "WebApp", "demo") + ".spec)\"}, {name: replicas, value: 2}]\n    resource: {\"($w.replicas == $replicas)\": true}\n",
			"- assert:\n    bindings: [{name: w, value: \"(" + get(mine, "Site", "demo") + ".spec)\"}, {name: replicas, value: 2}]\n    resource: {\"($w.size == $replicas)\": true}\n",
		},
		"through an output": {
			"- assert:\n    resource: {" + webapp + "}\n    outputs: [{name: w, value: (status)}]\n- assert: {resource: {\"($w.readyReplicas > `1`)\": true}}\n",
			"- assert:\n    resource: {" + mySite + "}\n    outputs: [{name: w, value: (status)}]\n- assert: {resource: {\"($w.ready > `1`)\": true}}\n",
		},
		"for each, and remembered": {
			"- assert: {resource: {" + webapp + ", \"status->s\": {\"($s.phase == 'Running')\": true}, \"~.(metadata.ownerReferences)\": {kind: WebApp}}}\n",
			"- assert: {resource: {" + mySite + ", \"status->s\": {\"($s.state.phase == 'Up')\": true}, \"~.(metadata.ownerReferences)\": {kind: Site}}}\n",
		},
		"what is put off": {
			benchObject("Observation", "resource: webapps.apps.kubedojo.io, eventually: has(new.status.phase) && new.status.phase == 'Running', within: {plus: 5s}"),
			benchObject("Observation", `resource: sites.example.com, eventually: 'has(new.status.state) && has(new.status.state.phase) && new.status.state.phase == "Up"', within: {plus: 5s}`),
		},
		"all objects, and what is claimed": {
			benchObject("Observation", "resource: webapps.apps.kubedojo.io, eventually: 'all.all(w, w.status.phase != \"Running\" || w.spec.replicas > claims.clientQPS)'"),
			benchObject("Observation", "resource: sites.example.com, eventually: 'all.all(w, w.status.state.phase != \"Up\" || w.spec.size > claims.clientQPS)'"),
		},
		"a name that is bound": {
			"- assert:\n    bindings: [{name: what, value: demo}]\n    resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: ($what)}}\n",
			"- assert:\n    bindings: [{name: what, value: demo}]\n    resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: team-demo-web}}\n",
		},
		"what looks alike": {
			key("$phase == 'Running' || status.phase == 'Running' || kind == 'WebApp' || image == 'demo'"),
			key("$phase == 'Running' || status.phase == 'Running' || kind == 'WebApp' || image == 'demo'"),
		},
		"rights": {
			"- create: {resource: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: [{apiGroups: [apps.kubedojo.io, apps], resources: [webapps, webapps/status, deployments], verbs: [get]}]}}\n" + check,
			"- create: {resource: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: [{apiGroups: [example.com, apps], resources: [sites, sites/status, deployments], verbs: [get]}]}}\n" + check,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rendering{operations: create + check + tc.from, want: created + check + tc.to}.holds(t, scenarioText)
		})
	}
}

// TestParametersOfATemplate checks that a value which a step passes to its template
// counts as if it were written there.
func TestParametersOfATemplate(t *testing.T) {
	dir := t.TempDir()
	template := `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: StepTemplate
metadata: {name: t}
spec:
  bindings: [{name: name, value: demo}, {name: port, value: 8080}]
  try:
  - create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: ($name)}, spec: {image: a, port: ($port)}}}
  - assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: ($name)}}}
`
	if err := os.WriteFile(filepath.Join(dir, "template.yaml"), []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	text := `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: xx-001}
spec:
  steps:
  - use: {template: template.yaml, with: {bindings: [{name: name, value: mine}]}}
  - try:
    - patch: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: mine}, spec: {port: 8080, replicas: 2}}}
    - assert: {resource: {apiVersion: v1, kind: Service, metadata: {name: mine}, spec: {ports: [{port: 8080}]}}}
`
	s, err := parse(filepath.Join(dir, FileName), []byte(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Render(s, siteProfile(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: team-mine-web", "name: mine-svc", "port: 80", "size: 2"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}
