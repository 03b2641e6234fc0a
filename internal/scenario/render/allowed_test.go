package render

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// few is a profile whose field accepts only some numbers of replicas.
var few = []string{"path: spec.size", "path: spec.size, values: [1, 3, 5]", "minimum: 2", "minimum: 1"}

// TestWhatTheSchemaAllows is about fields that take only some values.
func TestWhatTheSchemaAllows(t *testing.T) {
	given := func(n string) string { return strings.Replace(create, "replicas: 3", "replicas: "+n, 1) }
	patch := func(spec string) string { return "- patch: {resource: {" + webapp + ", spec: {" + spec + "}}}\n" }
	site := func(n string) string { return strings.Replace(created, "size: 3", "size: "+n, 1) }
	sitePatch := func(spec string) string { return "- patch: {resource: {" + mySite + ", spec: {" + spec + "}}}\n" }
	shown := func(of, n string) string { return "- assert: {resource: {" + of + ", spec: {replicas: " + n + "}}}\n" }
	immutable := []string{"path: spec.container.image", "path: spec.container.image, immutable: true"}
	growing := []string{"path: spec.size", "path: spec.size, growOnly: true"}
	prefixed := []string{"path: spec.container.image", `path: spec.container.image, format: "mine.example/team/{{ .value }}"`}
	image := func(of, container, image string) string {
		return "- assert: {resource: {" + of + ", spec: {template: {spec: {(containers[?name == '" + container + "']): [{image: " + image + "}]}}}}}\n"
	}
	for name, tc := range map[string]rendering{
		"numbers that are taken stay": {
			operations: given("3") + patch("replicas: 5") + shown(deployment, "5"),
			want:       site("3") + sitePatch("size: 5") + shown(myChild, "5"), edits: few,
		},
		"others become the nearest, in their order": {
			operations: given("2") + patch("replicas: 3") + shown(deployment, "3") + patch("replicas: 7") + shown(deployment, "7"),
			want:       site("1") + sitePatch("size: 3") + shown(myChild, "3") + sitePatch("size: 5") + shown(myChild, "5"), edits: few,
		},
		"a drift between them stays between them": {
			operations: given("2") + patch("replicas: 6") + "- patch: {resource: {" + deployment + ", spec: {replicas: 4}}}\n" + shown(deployment, "6"),
			want:       site("1") + sitePatch("size: 5") + "- patch: {resource: {" + myChild + ", spec: {replicas: 4}}}\n" + shown(myChild, "5"), edits: few,
		},
		"endpoints, of which there are as many": {
			operations: given("2") + "- assert: {resource: {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, (endpoints[?conditions.ready].targetRef.kind): [Pod, Pod]}}\n",
			skip:       "it needs replicas of 2, the implementation takes 1, 3, 5, and something is computed with them", edits: few,
		},
		"more than are taken": {
			operations: given("2") + patch("replicas: 3") + patch("replicas: 4") + patch("replicas: 6") + check,
			skip:       "it needs replicas of 2, 3, 4, 6, the implementation takes 1, 3, 5, and there are too few between them", edits: few,
		},
		"none at all": {
			operations: given("0") + check,
			skip:       "it needs replicas of 0, the implementation takes 1, 3, 5, and 0 has a special meaning", edits: few,
		},
		"none, where that is taken": {
			operations: given("2") + patch("replicas: 0") + check, want: site("4") + sitePatch("size: 0") + check,
			edits: []string{"path: spec.size", "path: spec.size, values: [0, 4]", "minimum: 2", "minimum: 0"},
		},
		"the controller's own replicas are others": {
			operations: given("2") + benchObject("Subject", "replicas: 2") + "- assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Subject, metadata: {name: s}, (length(status.replicas)): 2}}\n" + check,
			want:       site("1") + benchObject("Subject", "replicas: 2") + "- assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Subject, metadata: {name: s}, (length(status.replicas)): 2}}\n" + check,
			edits:      few,
		},
		"a field that cannot be changed": {
			operations: create + patch("image: a:2") + check,
			skip:       "it changes image of demo, which cannot be changed in this implementation", edits: immutable,
		},
		"one that is not changed": {
			operations: create + patch("replicas: 4, image: a:1") + check,
			want:       created + sitePatch("size: 4, container: {image: a:1}") + check, edits: immutable,
		},
		"another in an object that is made anew": {
			operations: create + "- delete: {ref: {" + webapp[:strings.Index(webapp, ", metadata")] + ", name: demo}}\n" + strings.Replace(create, "a:1", "a:2", 1) + check,
			want: created + "- delete: {ref: {" + mySite[:strings.Index(mySite, ", metadata")] + ", name: demo}}\n" +
				strings.Replace(created, "a:1", "a:2", 1) + check,
			edits: immutable,
		},
		"replicas that grow": {
			operations: create + patch("image: a:2") + patch("replicas: 4") + shown(deployment, "4"),
			want:       created + sitePatch("container: {image: a:2}") + sitePatch("size: 4") + shown(myChild, "4"), edits: growing,
		},
		"fewer than before": {
			operations: create + patch("replicas: 5") + patch("replicas: 4") + check,
			skip:       "it changes replicas of demo, which only grow in this implementation", edits: growing,
		},
		"fewer in one that is made anew": {
			operations: create + "- delete: {ref: {" + webapp[:strings.Index(webapp, ", metadata")] + ", name: demo}}\n" + given("2") + check,
			want:       created + "- delete: {ref: {" + mySite[:strings.Index(mySite, ", metadata")] + ", name: demo}}\n" + site("2") + check,
			edits:      growing,
		},
		"a number that is taken away": {
			operations: create + patch("replicas: null") + check,
			skip:       "it changes replicas of demo, which only grow in this implementation", edits: growing,
		},
		"a child that is scaled, where it is not set back": {
			operations: create + "- patch: {resource: {" + deployment + ", spec: {replicas: 7}}}\n" + check,
			skip:       "it scales Deployment demo, and the replicas only grow in this implementation", edits: growing,
		},
		"by kubectl, too": {
			operations: create + "- command: {entrypoint: kubectl, args: [scale, deployment/demo, --replicas=7, --namespace=$NAMESPACE]}\n" + check,
			skip:       "it scales by kubectl, and the replicas only grow in this implementation", edits: growing,
		},
		"another field of a child": {
			operations: create + "- patch: {resource: {" + deployment + ", spec: {paused: true}}}\n" + check,
			want:       created + "- patch: {resource: {" + myChild + ", spec: {paused: true}}}\n" + check, edits: growing,
		},
		"an image in a registry of its own": {
			operations: create + image(deployment, "app", "a:1") + patch("image: a:2") + image(deployment, "app", "a:2"),
			want: strings.Replace(created, "a:1", "mine.example/team/a:1", 1) + image(myChild, "web", "mine.example/team/a:1") +
				sitePatch("container: {image: mine.example/team/a:2}") + image(myChild, "web", "mine.example/team/a:2"),
			edits: prefixed,
		},
	} {
		t.Run(name, tc.check)
	}
}

// TestWhatIsAroundTheSpec is about labels, annotations and fields beside the spec.
func TestWhatIsAroundTheSpec(t *testing.T) {
	around := []string{"    base: {", `    metadata: {labels: {tier: web, app: "{{ .name }}"}, annotations: {class: "nginx"}}` + "\n    root: {data: {mode: \"{{ .name }}-x\", list: [1]}}\n    base: {"}
	have := func(name string) string {
		return "annotations: {class: nginx}, labels: {app: " + name + ", tier: web}"
	}
	const spec = "spec: {owner: team-demo, container: {pull: Always, image: a:1}, size: 3}"
	for name, tc := range map[string]rendering{
		"a new object has them, and a patch of it does not": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {replicas: 4}}}\n" + check,
			want: "- create: {resource: {apiVersion: example.com/v1, kind: Site, metadata: {name: demo, " + have("demo") + "}, " + spec + ", data: {list: [1], mode: demo-x}}}\n" +
				"- patch: {resource: {" + mySite + ", spec: {size: 4}}}\n" + check,
			edits: around,
		},
		"beside those that it is given, which count": {
			operations: strings.Replace(create, "name: demo}", "name: demo, labels: {tier: none, b: c}}", 1) + check,
			want: "- create: {resource: {apiVersion: example.com/v1, kind: Site, metadata: {name: demo, labels: {app: demo, tier: none, b: c}, annotations: {class: nginx}}, " +
				spec + ", data: {list: [1], mode: demo-x}}}\n" + check,
			edits: around,
		},
		"of the one name that there is": {
			operations: create + "- assert: {resource: {" + strings.TrimSuffix(deployment, "}") + ", ownerReferences: [{kind: WebApp, name: demo}]}}}\n" +
				benchObject("Traffic", "windowMs: 5, match: {names: [demo], resources: [deployments.apps]}") +
				benchObject("Observation", `resource: webapps, name: demo, never: "new.metadata.name != 'demo'"`),
			want: "- create: {resource: {apiVersion: example.com/v1, kind: Site, metadata: {name: main}, spec: {owner: team-main, container: {pull: Always, image: a:1}, size: 3}}}\n" +
				"- assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: team-main-web, ownerReferences: [{kind: Site, name: main}]}}}\n" +
				benchObject("Traffic", "windowMs: 5, match: {names: [team-main-web], resources: [deployments.apps]}") +
				benchObject("Observation", `resource: sites, name: main, never: "new.metadata.name != 'main'"`),
			edits: []string{"    base: {", "    metadata: {name: main}\n    base: {", "command: [./site]", "command: [./site], onePerNamespace: true"},
		},
		"another name": {
			operations: strings.Replace(create, "name: demo", "name: again", 1) + check,
			skip:       "it has a WebApp of the name again, and the implementation serves none but main (contract.metadata.name)",
			edits:      []string{"    base: {", "    metadata: {name: main}\n    base: {", "command: [./site]", "command: [./site], onePerNamespace: true"},
		},
	} {
		t.Run(name, tc.check)
	}
}

// TestOneNameAndLabels renders the project's scenarios for a controller that serves
// only objects named main with a label: no name is demo any more, and every object has
// the label.
func TestOneNameAndLabels(t *testing.T) {
	p := builtin(t, "reference")
	p.Spec.Launch.OnePerNamespace = true
	p.Spec.Contract.Metadata = &v1alpha1.PrimaryMetadata{Name: "main", Labels: map[string]string{"tier": "web"}}
	rendered, made := 0, 0
	for _, file := range scenarioFiles(t) {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Render(s, p)
		if skip := (*Skip)(nil); errors.As(err, &skip) {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		rendered++
		walk(r.root, func(n *yaml.Node) {
			if strings.Contains(n.Value, usualName) {
				t.Errorf("%s still has %q", s.Name, n.Value)
			}
		})
		walk(r.root, func(n *yaml.Node) {
			resource := at(n, "create", "resource")
			if resource == nil || kindOf(resource) != kindPrimary {
				return
			}
			if made++; text(resource, "metadata", "labels", "tier") != "web" {
				t.Errorf("%s has a %s %s without the label", s.Name, text(resource, "kind"), text(resource, "metadata", "name"))
			}
		})
	}
	if rendered < 80 || made < 60 {
		t.Errorf("only %d scenarios are left, with %d objects", rendered, made)
	}
}

// TestWhereMapped is about scenarios that change several fields, and leave out those that
// cannot be changed.
func TestWhereMapped(t *testing.T) {
	patch := func(spec string) string { return "- patch: {resource: {" + webapp + ", spec: {" + spec + "}}}\n" }
	sitePatch := func(spec string) string { return "- patch: {resource: {" + mySite + ", spec: {" + spec + "}}}\n" }
	marked := func(operations string) string {
		return strings.Replace(scenario(operations), "{name: xx-001}", "{name: xx-001, annotations: {"+annotationWhereMapped+": 'image, replicas, port'}}", 1)
	}
	image := func(of, container, image string) string {
		return "- assert: {resource: {" + of + ", spec: {template: {spec: {(containers[?name == '" + container + "']): [{image: " + image + "}]}}}}}\n"
	}
	count := func(of string, replicas int) string {
		return fmt.Sprintf("- assert: {resource: {%s, spec: {replicas: %d}}}\n", of, replicas)
	}
	up := patch("image: a:2, replicas: 5, port: 9090")
	for name, tc := range map[string]rendering{
		"a port that is always the same": {
			operations: create + up + patch("image: a:1, replicas: 3, port: 80") + check,
			want:       created + sitePatch("container: {image: a:2}, size: 5") + sitePatch("container: {image: a:1}, size: 3") + check,
		},
		"an image that cannot be changed": {
			operations: create + up + check, want: created + sitePatch("size: 5") + check,
			edits: []string{"path: spec.container.image", "path: spec.container.image, immutable: true"},
		},
		"what is asserted is as it is": {
			operations: create + up + image(deployment, "app", "a:2"),
			want:       strings.Replace(created, "image: a:1", "", 1) + sitePatch("size: 5") + image(myChild, "web", "always:v1"),
			edits:      []string{"path: spec.container.image", "constant: always:v1"},
		},
		"what is asserted of replicas that cannot be changed": {
			operations: create + up + count(deployment, 5) + image(deployment, "app", "a:2"),
			want:       created + sitePatch("container: {image: a:2}") + count(myChild, 3) + image(myChild, "web", "a:2"),
			edits:      []string{"path: spec.size", "path: spec.size, immutable: true"},
		},
		"what is asserted of an image that cannot be changed": {
			operations: create + up + count(deployment, 5) + image(deployment, "app", "a:2"),
			want:       created + sitePatch("size: 5") + count(myChild, 5) + image(myChild, "web", "a:1"),
			edits:      []string{"path: spec.container.image", "path: spec.container.image, immutable: true"},
		},
		"what is asserted of replicas that only grow": {
			operations: create + up + count(deployment, 5),
			want:       created + sitePatch("container: {image: a:2}") + count(myChild, 3),
			edits:      []string{"path: spec.size", "path: spec.size, growOnly: true"},
		},
		"replicas that only grow": {
			operations: create + up + patch("image: a:1, replicas: 3, port: 80") + check,
			want:       created + sitePatch("container: {image: a:2}") + sitePatch("container: {image: a:1}, size: 3") + check,
			edits:      []string{"path: spec.size", "path: spec.size, growOnly: true"},
		},
		"nothing is left": {
			operations: create + patch("port: 9090") + check, skip: "it changes port of demo, which is always 80 in this implementation",
		},
		"another field is what it is about": {
			operations: create + patch("image: a:2, env: {A: b}") + check, skip: "it changes env of demo, which this implementation does not have",
		},
	} {
		t.Run(name, func(t *testing.T) { tc.holds(t, marked) })
	}
}
