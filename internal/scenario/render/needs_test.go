package render

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// parsed is a scenario with bindings and these operations in its one step.
func parsed(t *testing.T, operations string) *Scenario {
	t.Helper()
	s, err := parse("chainsaw-test.yaml", []byte(`apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: t}
spec:
  bindings: [{name: one, value: 1}, {name: two, value: 2}]
  steps:
  - bindings: [{name: many, value: ($two)}]
    try:
`+operations), os.ReadFile)
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

func TestElects(t *testing.T) {
	const subject = "resource: {apiVersion: reconform.dev/v1alpha1, kind: Subject, metadata: {name: subject}, spec: {"
	for name, tc := range map[string]struct {
		operations string
		want       bool
	}{
		"the default":     {"    - create: {" + subject + "replicas: 1}}}", false},
		"on":              {"    - create: {" + subject + "replicas: 0, leaderElection: true}}}", true},
		"off":             {"    - create: {" + subject + "leaderElection: false}}}", false},
		"only looked for": {"    - assert: {" + subject + "leaderElection: true}}}", false},
	} {
		if got := parsed(t, tc.operations).Elects(); got != tc.want {
			t.Errorf("%s: Elects = %t", name, got)
		}
	}
}

func TestTwoInOne(t *testing.T) {
	const (
		app  = "resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: "
		load = "resource: {apiVersion: reconform.dev/v1alpha1, kind: Load, metadata: {name: l}, spec: {"
		demo = "    - create: {" + app + "demo}}}\n"
	)
	template := func(name string) string {
		return "template: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: " + name + "}}}}}\n"
	}
	for name, tc := range map[string]struct {
		operations string
		want       string
	}{
		"one":                        {demo + "    - patch: {" + app + "demo}}}\n", ""},
		"none":                       {"    - create: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}\n", ""},
		"two":                        {demo + "    - apply: {" + app + "demo-2}}}\n", "demo and demo-2"},
		"one after the other":        {demo + "    - delete: {ref: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, name: demo}}\n    - apply: {" + app + "demo-2}}}\n", "demo and demo-2"},
		"one again":                  {demo + "    - delete: {ref: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, name: demo}}\n" + demo, ""},
		"in another namespace":       {demo + "    - create: {" + app + "demo-2, namespace: ($other)}}}\n", ""},
		"in the same one, by name":   {demo + "    - create: {" + app + "demo-2, namespace: ($namespace)}}}\n", "demo and demo-2"},
		"a second that is refused":   {demo + "    - create: {" + app + "x}}, expect: [{check: {($error != null): true}}]}\n", ""},
		"by a binding":               {demo + "    - create: {bindings: [{name: n, value: demo-2}], " + app + "($n)}}}\n", "demo and demo-2"},
		"the same, by a binding":     {demo + "    - create: {bindings: [{name: n, value: demo}], " + app + "($n)}}}\n", ""},
		"two by the same expression": {"    - create: {bindings: [{name: n, value: a}], " + app + "\"(join('-', [$n, 'x']))\"}}}\n    - create: {bindings: [{name: n, value: b}], " + app + "\"(join('-', [$n, 'x']))\"}}}\n", "(join('-', [a, 'x'])) and (join('-', [b, 'x']))"},
		"a Load of one":              {"    - create: {" + load + "action: Create, count: 1, " + template("many"), ""},
		"a Load of many":             {"    - create: {" + load + "action: Create, count: 200, " + template("many"), "many-0 and many-1"},
		"a Load beside one":          {demo + "    - create: {" + load + "action: Create, count: 1, " + template("many"), "demo and many-0"},
		"edits of one":               {demo + "    - create: {" + load + "action: Edit, count: 9, " + template("demo"), ""},
		"a Load of something else":   {demo + "    - create: {" + load + "action: Create, count: 9, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}}}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parsed(t, tc.operations).twoInOne(); got != tc.want {
				t.Errorf("twoInOne = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOnePerNamespace(t *testing.T) {
	two := create + "- create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: other}}}\n" + check
	one := []string{"launch: {", "launch: {onePerNamespace: true, "}
	for name, tc := range map[string]rendering{
		"two": {operations: two, edits: one, skip: "it has demo and other in one namespace, and the implementation serves one there (launch.onePerNamespace)"},
		"one": {operations: create + check, edits: one, want: created + check},
		"two, and it may": {
			operations: two,
			want:       created + "- create: {resource: {apiVersion: example.com/v1, kind: Site, metadata: {name: other}, spec: {owner: team-other, container: {pull: Always}}}}\n" + check,
		},
	} {
		t.Run(name, tc.check)
	}
}

// TestCommandsMakeNothing: what a scenario needs is read from the objects that it
// writes, not from its commands.
func TestCommandsMakeNothing(t *testing.T) {
	files, err := filepath.Glob("../../../scenarios/*/*/" + FileName)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios: %v", len(files), err)
	}
	for _, file := range files {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		walk(s.root, func(n *yaml.Node) {
			args := get(n, "args")
			if text(n, "entrypoint") == "" || args == nil || len(args.Content) == 0 {
				return
			}
			verb := args.Content[0].Value
			changes := slices.Contains([]string{"scale", "patch", "edit"}, verb)
			if slices.Contains([]string{"create", "apply", "replace"}, verb) || changes && strings.Contains(flat(args), "subject") {
				t.Errorf("%s:%d: kubectl %s: use an operation of Chainsaw's", file, n.Line, verb)
			}
		})
	}
}
