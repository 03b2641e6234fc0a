package render

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// narrow is a profile that accepts few replicas.
var narrow = []string{"minimum: 2, maximum: 9", "minimum: 1, maximum: 3"}

func TestValuesFitTheBounds(t *testing.T) {
	const (
		made    = "- create: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a:1}, size: 2}}}\n"
		replica = "- assert: {resource: {" + deployment + ", spec: {replicas: %}, status: {readyReplicas: %}, (to_string(spec.replicas) == '%' && spec.replicas > `%`): true}}\n"
		mine    = "- assert: {resource: {" + myChild + ", spec: {replicas: %}, status: {readyReplicas: %}, (to_string(spec.replicas) == '%' && spec.replicas > `%`): true}}\n"
		site    = "- assert: {resource: {" + mySite + ", status: {ready: %}}}\n"
		primary = "- assert: {resource: {" + webapp + ", status: {readyReplicas: %}}}\n"
	)
	at := func(text, n string) string { return strings.ReplaceAll(text, "%", n) }
	given := strings.Replace(create, "replicas: 3", "replicas: 5", 1)
	grown := "- patch: {resource: {" + webapp + ", spec: {replicas: 7}}}\n"
	grownSite := "- patch: {resource: {" + mySite + ", spec: {size: 3}}}\n"
	always := []string{"replicas: {path: spec.size}", "replicas: {constant: 1}", "bounds: {replicas: {minimum: 2, maximum: 9}}", ""}
	for name, tc := range map[string]rendering{
		"what fits stays": {
			operations: create + at(replica, "3"), want: strings.Replace(created, "size: 3", "size: 3", 1) + at(mine, "3"), edits: narrow,
		},
		"others in the same order, wherever they show": {
			operations: given + at(replica, "5") + grown + at(replica, "7") + at(primary, "7"),
			want:       made + at(mine, "2") + grownSite + at(mine, "3") + at(site, "3"),
			edits:      narrow,
		},
		"in kubectl, in rules and in policies": {
			operations: given + grown + check +
				"- command: {entrypoint: kubectl, args: [wait, deployment/demo, '--for=jsonpath={.spec.replicas}=7']}\n" +
				"- command: {entrypoint: kubectl, args: [patch, webapp/demo, '--patch={\"spec\":{\"replicas\":5}}']}\n" +
				benchObject("Observation", `resource: deployments.apps, name: demo, never: "new.spec.replicas == 7 || new.spec.replicas in [5, 6]"`) +
				benchObject("Traffic", "windowMs: 5, match: {names: [demo], resources: [pods]}") +
				"- create: {resource: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: {matchConstraints: {resourceRules: [{apiGroups: [apps], resources: [deployments]}]}, validations: [{expression: object.spec.replicas != 7}]}}}\n",
			skip:  "it needs replicas of 5, 7, the bounds are 1 to 3, and 7 would no longer lie between the others",
			edits: narrow,
		},
		"in kubectl, in rules and in policies, where all fit": {
			operations: given + grown + check +
				"- command: {entrypoint: kubectl, args: [wait, deployment/demo, '--for=jsonpath={.spec.replicas}=7']}\n" +
				"- command: {entrypoint: kubectl, args: [patch, webapp/demo, '--patch={\"spec\":{\"replicas\":5}}']}\n" +
				benchObject("Observation", `resource: deployments.apps, name: demo, never: "new.spec.replicas == 7 || new.spec.replicas in [5, 8]"`) +
				benchObject("Traffic", "windowMs: 5, match: {names: [demo], resources: [pods]}") +
				"- create: {resource: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: {matchConstraints: {resourceRules: [{apiGroups: [apps], resources: [deployments]}]}, validations: [{expression: object.spec.replicas != 7}]}}}\n",
			want: made + grownSite + check +
				"- command: {entrypoint: kubectl, args: [wait, deployment/team-demo-web, '--for=jsonpath={.spec.replicas}=3']}\n" +
				"- command: {entrypoint: kubectl, args: [patch, sites.example.com/demo, '--patch={\"spec\":{\"size\":2}}']}\n" +
				benchObject("Observation", `resource: deployments.apps, name: team-demo-web, never: "new.spec.replicas == 3 || new.spec.replicas in [2, 8]"`) +
				benchObject("Traffic", "windowMs: 5, match: {names: [demo], resources: [pods]}") +
				"- create: {resource: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: {matchConstraints: {resourceRules: [{apiGroups: [apps], resources: [deployments]}]}, validations: [{expression: object.spec.replicas != 3}]}}}\n",
			edits: narrow,
		},
		"what is refused need not fit": {
			operations: "- create: {resource: {" + webapp + ", spec: {image: a, replicas: 99}}, expect: [{check: {($error != null): true, (contains($error, 'spec.replicas')): true}}]}\n" + check,
			want:       "- create: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a}, size: 99}}, expect: [{check: {($error != null): true, (contains($error, 'spec.size')): true}}]}\n" + check,
			edits:      narrow,
		},
		"too many of them": {
			operations: given + grown + "- patch: {resource: {" + webapp + ", spec: {replicas: 6}}}\n- patch: {resource: {" + webapp + ", spec: {replicas: 8}}}\n" + check,
			skip:       "it needs replicas of 5, 6, 7, 8, the bounds are 1 to 3, and there are too few between them", edits: narrow,
		},
		"zero has a special meaning": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {replicas: 0}}}\n" + check,
			skip:       "it needs replicas of 0, 3, the bounds are 1 to 3, and 0 has a special meaning", edits: narrow,
		},
		"a number that may count something else": {
			operations: given + "- assert: {resource: {(length(x_k8s_list($client, 'v1', 'Event', $namespace).items)): 5}}\n",
			skip:       "it needs replicas of 5, the bounds are 1 to 3, and 5 stands for something else, too", edits: narrow,
		},
		"a number that is counted": {
			operations: given + at(primary, "4"),
			skip:       "it needs replicas of 5, the bounds are 1 to 3, and something is counted to be 4, a number that no object was given", edits: narrow,
		},
		"a constant": {
			operations: given + at(primary, "5") + at(primary, "0"),
			want:       strings.Replace(strings.Replace(created, "size: 3", "", 1), "image: a:1}, }", "image: a:1}}", 1) + at(site, "1") + at(site, "0"),
			edits:      always,
		},
		"a constant, and another number is counted": {
			operations: given + at(primary, "4"),
			skip:       "it needs replicas of 5, their number is always 1, and something is counted to be 4, a number that no object was given", edits: always,
		},
		"a constant, and Pods are counted": {
			operations: given + "- assert: {resource: {(length(x_k8s_list($client, 'v1', 'Pod', $namespace).items)): 5}}\n",
			skip:       "it needs replicas of 5, their number is always 1, and 5 may count Pods", edits: always,
		},
		"a constant, and something else is counted": {
			operations: given + "- assert: {resource: {(length(x_k8s_list($client, 'v1', 'Event', $namespace).items)): 5}}\n",
			want: strings.Replace(strings.Replace(created, "size: 3", "", 1), "image: a:1}, }", "image: a:1}}", 1) +
				"- assert: {resource: {(length(x_k8s_list($client, 'v1', 'Event', $namespace).items)): 5}}\n",
			edits: always,
		},
		"a constant that is counted": {
			operations: given + at(primary, "1"), // one of five is not all
			skip:       "it needs replicas of 5, their number is always 1, and something is counted to be 1, a number that no object was given", edits: always,
		},
		"Pods, of which there are as many": {
			operations: given + "- assert: {resource: {apiVersion: v1, kind: Pod}}\n",
			skip:       "it needs replicas of 5, the bounds are 1 to 3, and something is computed with them", edits: narrow,
		},
		"computed with": {
			operations: given + "- assert: {resource: {" + deployment + ", (spec.replicas - status.readyReplicas > `0`): true}}\n",
			skip:       "it needs replicas of 5, the bounds are 1 to 3, and something is computed with them", edits: narrow,
		},
		"a Load's numbers": {
			operations: benchObject("Load", "action: Create, count: 5, template: {"+webapp+", spec: {replicas: '{{ add .i 1 }}'}}") + check,
			skip:       "it needs replicas of 1, 2, 3, 4, 5, the bounds are 1 to 3, and not all of them are written down", edits: narrow,
		},
		"of a binding": {
			operations: "- create: {bindings: [{name: n, value: 5}], resource: {" + webapp + ", spec: {image: a:1, replicas: ($n)}}}\n- assert: {bindings: [{name: n, value: 5}], resource: {" + deployment + ", spec: {replicas: ($n)}, (status.replicas == $n): true}}\n",
			want:       "- create: {bindings: [{name: n, value: 5}], resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a:1}, size: 3}}}\n- assert: {bindings: [{name: n, value: 5}], resource: {" + myChild + ", spec: {replicas: 3}, (status.replicas == `3`): true}}\n",
			edits:      narrow,
		},
		"of a binding that counts something else, too": {
			operations: given + "- assert: {bindings: [{name: n, value: 5}], resource: {(length(x_k8s_list($client, 'v1', 'Event', $namespace).items) == $n): true}}\n",
			skip:       "it needs replicas of 5, the bounds are 1 to 3, and 5 stands for something else, too", edits: narrow,
		},
		"a port": {
			operations: create + check,
			skip:       "it needs port of 8080, the bounds are 1 to 1023, and other numbers may not mean the same",
			edits:      []string{"port: {constant: 80}", "port: {path: spec.port}", "bounds: {", "bounds: {port: {minimum: 1, maximum: 1023}, "},
		},
	} {
		t.Run(name, tc.check)
	}
}

// TestBoundsOfTheProfile renders the project's scenarios for a CRD that allows
// few replicas: none may be given more, and none is wrong.
func TestBoundsOfTheProfile(t *testing.T) {
	p := builtin(t, "reference")
	p.Spec.Contract.Bounds.Replicas.Maximum = 3
	rendered := 0
	for _, file := range scenarioFiles(t) {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Render(s, p)
		if skip := (*Skip)(nil); errors.As(err, &skip) {
			t.Log(skip)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		rendered++
		again := newMapper(&Scenario{File: s.File, Name: s.Name, root: r.root}, p)
		if err := again.test(); err != nil {
			t.Errorf("%s, rendered: %v", s.Name, err)
		}
		if instead, err := again.fit(); err != nil || len(instead) > 0 {
			t.Errorf("%s still has numbers that do not fit: %v, %v", s.Name, instead, err)
		}
	}
	if rendered < 80 {
		t.Errorf("only %d scenarios are left", rendered)
	}
}
