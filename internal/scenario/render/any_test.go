package render

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Of the scenarios exactly those with the label can be judged without a contract. Nothing in
// them is about a web app then.
func TestAnyController(t *testing.T) {
	p := builtin(t, "backup-any")
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	webApp := regexp.MustCompile(`WebApp|webapp|[Dd]eployment|services|replicas: [2-9]: 3|image:|registry\.example`)
	for _, r := range requirements {
		s, err := LoadFS(r.Source, r.Path)
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := Render(s, p)
		var skip *Skip
		if errors.As(err, &skip) != !r.Any || !r.Any && skip.Reason != NeedsContract || r.Any && err != nil {
			t.Errorf("%s: any controller: %v, but: %v", r.ID, r.Any, err)
			continue
		}
		if !r.Any {
			continue
		}
		document, err := rendered.YAML()
		if err != nil {
			t.Fatal(err)
		}
		_, steps, _ := strings.Cut(string(document), "\n  steps:")
		for line := range strings.Lines(steps) {
			if code, _, _ := strings.Cut(line, "#"); webApp.MatchString(code) {
				t.Errorf("%s: %s", r.ID, line)
			}
		}
	}
}

func TestAnyControllerSteps(t *testing.T) {
	const head = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: x-1, labels: {reconform.dev/any: "true"}}
spec:
  steps:
`
	for name, tc := range map[string]struct {
		steps string
		edits int // of the profile; others are removed
		want  []string
		not   []string
		skip  string
	}{
		"a new object is awaited": {
			steps: "  - name: Given the WebApp demo, whose Pods are ready\n    try:\n    - create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {image: a, replicas: 2, port: 80}}}\n" +
				"    - assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: demo}}}\n    - assert: {resource: {apiVersion: v1, kind: Service, metadata: {name: demo}}}\n",
			edits: 2,
			want:  []string{"name: Given the Backup demo, with which the controller is done", "name: acts-1", "start: Effective", "source: demo.example.com", "name: rests-1", "start: Quiet"},
			not:   []string{"rests-2", "image"},
		},
		"edits are undone, one after the other": {
			steps: "  - name: When it changes\n    try:\n" + strings.Repeat("    - patch: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {replicas: 3}}}\n"+
				"    - assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: demo}, spec: {replicas: 3}}}\n", 4) +
				"  - name: Then it is quiet\n    try:\n    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: x}, status: {verdict: Met}}}\n",
			edits: 2,
			want:  []string{"{schedule: 2 0 1 1 *}", "{schedule: 1 0 1 1 *}", "{destination: 's3://others/demo'}", "{destination: 's3://backups/demo'}", "acts-4"},
		},
		"no edit": {
			steps: "  - name: When it changes\n    try:\n    - patch: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {replicas: 3}}}\n",
			skip:  "it changes an object, and the profile has no edit (serves[0].edits)",
		},
		"two edits that nobody awaits": {
			steps: "  - name: When it changes\n    try:\n" + strings.Repeat("    - patch: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {replicas: 3}}}\n", 2),
			edits: 2, skip: NeedsContract,
		},
		"twenty edits end with another spec": {
			steps: "  - name: When it is edited\n    try:\n    - create:\n        resource:\n          apiVersion: reconform.dev/v1alpha1\n          kind: Load\n          metadata: {name: edits}\n" +
				"          spec: {action: Edit, count: 2, template: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {replicas: \"{{ .i }}\"}}}\n" +
				"    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Load, metadata: {name: edits}, status: {verdict: Met}}}\n" +
				"  - name: Then it is quiet\n    try:\n    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: x}, status: {verdict: Met}}}\n",
			edits: 1,
			want:  []string{"{schedule: 2 0 1 1 *}", "{schedule: 1 0 1 1 *}"},
			not:   []string{"Load"},
		},
		"annotations and unrelated objects are left out": {
			steps: "  - name: When something changes\n    try:\n    - create: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: unrelated}}}\n" +
				"    - patch: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo, annotations: {a: b}}}}\n" +
				"    - command: {entrypoint: kubectl, args: [scale, deployment/demo, --replicas=7, --namespace=$NAMESPACE]}\n" +
				"  - name: Then it is quiet\n    try:\n    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: x}, status: {verdict: Met}}}\n",
			not: []string{"unrelated", "annotations", "scale", "When something changes"},
		},
		"requests for children are any, and names tell two objects apart": {
			steps: "  - name: When it is counted\n    try:\n" +
				"    - create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: a}, spec: {match: {verbs: [create], resources: [deployments.apps], names: [demo]}, windowMs: 500, expect: {requests: {max: 20}}}}}\n" +
				"    - create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: b}, spec: {match: {verbs: [update], resources: [webapps.apps.kubedojo.io, services], names: [demo-2]}, windowMs: 500}}}\n" +
				"  - name: Then few come\n    try:\n    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: a}, status: {verdict: Met}}}\n",
			want: []string{"match: {verbs: [create]}", "max: 40, perObject: 20", "match: {verbs: [update], names: ['*second*']}"},
		},
		"reads of children": {
			steps: "  - name: When it is counted\n    try:\n" +
				"    - create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: a}, spec: {match: {verbs: [list], resources: [deployments.apps]}, windowMs: 500}}}\n",
			skip: NeedsContract,
		},
		"what must not be seen of a child": {
			steps: "  - name: When it is observed\n    try:\n" +
				"    - create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: a}, spec: {resource: deployments.apps, never: new == null}}}\n",
			skip: NeedsContract,
		},
		"a child that must not be there": {
			steps: "  - name: Then nothing is left\n    try:\n    - error: {resource: {apiVersion: apps/v1, kind: Deployment}}\n",
			skip:  NeedsContract,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := builtin(t, "backup-any")
			text, err := os.ReadFile(p.File)
			if err != nil {
				t.Fatal(err)
			}
			changed := string(text)
			for i, edit := range []string{"    - name: schedule\n      patch: {spec: {schedule: 2 0 1 1 *}}\n", "    - name: destination\n      patch: {spec: {destination: \"s3://others/{{ .name }}\"}}\n"} {
				if !strings.Contains(changed, edit) {
					t.Fatalf("no %q", edit)
				}
				if i >= tc.edits {
					changed = strings.Replace(changed, edit, "", 1)
				}
			}
			if tc.edits == 0 {
				changed = strings.Replace(changed, "    edits:\n", "", 1)
			}
			if p, err = profile.Parse(p.File, []byte(changed)); err != nil {
				t.Fatal(err)
			}
			s, err := parse("x.yaml", []byte(head+tc.steps), nil)
			if err != nil {
				t.Fatal(err)
			}
			rendered, err := Render(s, p)
			var skip *Skip
			if tc.skip != "" {
				if !errors.As(err, &skip) || skip.Reason != tc.skip {
					t.Errorf("got %v, want it skipped: %s", err, tc.skip)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			document, err := rendered.YAML()
			if err != nil {
				t.Fatal(err)
			}
			got := string(document)
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q", want)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(got, not) {
					t.Errorf("there is %q", not)
				}
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

// What a controller writes because a schedule of the sample comes due is no write at rest.
func TestWorksByTheClock(t *testing.T) {
	p := builtin(t, "backup-any")
	raw, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for schedule, want := range map[string]string{
		"1 0 1 1 *": "",
		"@daily":    "",
		"* * * * *": "LF-006 SS-001 SS-002 SS-009 SS-016",
		"@hourly":   "LF-006 SS-001 SS-002 SS-009 SS-016",
	} {
		p, err := profile.Parse(p.File, []byte(strings.Replace(string(raw), "schedule: 1 0 1 1 *", "schedule: '"+schedule+"'", 1)))
		if err != nil {
			t.Fatal(err)
		}
		var skipped []string
		for _, r := range requirements {
			s, err := LoadFS(r.Source, r.Path)
			if err != nil {
				t.Fatal(err)
			}
			var skip *Skip
			if _, err := Render(s, p); errors.As(err, &skip) && strings.Contains(skip.Reason, "the schedule "+schedule) {
				skipped = append(skipped, r.ID)
			}
		}
		slices.Sort(skipped)
		if got := strings.Join(skipped, " "); got != want {
			t.Errorf("%s: skipped %q, want %q", schedule, got, want)
		}
	}
}

// TestAsWritten: what a scenario creates that an exploration wrote stays as it is, with a contract
// and without one. What is beside its object may be of the kind of a child of WebApps.
func TestAsWritten(t *testing.T) {
	for _, profile := range []string{"backup-any", "sample-controller"} {
		s, err := parse("x.yaml", []byte(`apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: x-1, labels: {reconform.dev/any: as-written}}
spec:
  steps:
  - name: Given what must be there beside the object
    try:
    - create: {resource: {apiVersion: v1, kind: Service, metadata: {name: demo-2}}}
    - create: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: demo}, spec: {replicas: 7}}}
  - name: Then the outcome is as without the disturbance
    try:
    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Trial, metadata: {name: disturbed}, status: {verdict: Met}}}
`), nil)
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := Render(s, builtin(t, profile))
		if err != nil {
			t.Fatalf("%s: %v", profile, err)
		}
		document, err := rendered.YAML()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"kind: Service, metadata: {name: demo-2}", "kind: Deployment, metadata: {name: demo}, spec: {replicas: 7}"} {
			if !strings.Contains(string(document), want) {
				t.Errorf("%s: %q is missing in\n%s", profile, want, document)
			}
		}
	}
}
