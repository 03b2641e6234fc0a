package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// visit is a record of an object for which these children were made, as YAML, and of one
// change, after which they were others.
func visit(t *testing.T, change Act, before, after []string) *Record {
	t.Helper()
	r := &Record{Kind: "Shop"}
	frames := []Frame{frame(t, 1, "kind: Shop\nmetadata: {name: shop}")}
	for n, text := range before {
		f := frame(t, n+2, text)
		frames = append(frames, f)
		r.Account.Requests = append(r.Account.Requests, history.Request{
			Seq: int64(n + 1), Verb: history.VerbCreate, Effect: history.EffectEffective, UID: types.UID(f.Object.GetUID()),
		})
	}
	for n, text := range after {
		frames = append(frames, frame(t, n+20, text))
	}
	r.Film = NewFilm(frames)
	change.Deed, change.Object, change.After, change.Until, change.AfterSeq, change.UntilSeq = Change, "shop", 19, 39, 9, 19
	r.Acts = []Act{{Deed: Create, Object: "shop", Until: 19, UntilSeq: 9}, change}
	return r
}

const (
	webSet = `
kind: StatefulSet
metadata: {name: shop-db}
spec:
  replicas: %d
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: db, image: "db:v1"}]}}
status: {readyReplicas: 2, observedGeneration: 1}
`
	nightly = `
kind: CronJob
metadata: {name: shop-nightly}
spec:
  schedule: %q
  jobTemplate: {spec: {template: {spec: {containers: [{name: run, image: "run:v1"}]}}}}
status: {}
`
	once   = "kind: Job\nmetadata: {name: shop-first}\nspec: {parallelism: 1, template: {spec: {containers: [{name: run, image: run:v1}]}}}"
	yearly = "3 0 1 1 *"
)

// TestWorkload: the main child is the one that the fields decide about, whatever its kind.
func TestWorkload(t *testing.T) {
	web := fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2)
	for name, tc := range map[string]struct {
		change        Act
		before, after []string
		main          Ref
		replicas      v1alpha1.Field
	}{
		"a Deployment, where nothing says more": {
			Act{Path: "spec.tier", To: "gold"},
			[]string{once, fmt.Sprintf(webSet, 2), web},
			nil,
			Ref{"Deployment", "shop-web"},
			v1alpha1.Field{},
		},
		"the StatefulSet beside it that a field decides about": {
			Act{Path: "spec.size", To: int64(3)},
			[]string{web, fmt.Sprintf(webSet, 2)},
			[]string{fmt.Sprintf(webSet, 3)},
			Ref{"StatefulSet", "shop-db"},
			v1alpha1.Field{Path: "spec.size"},
		},
		"a CronJob, by its schedule": {
			Act{Path: "spec.when", To: yearly},
			[]string{once, fmt.Sprintf(nightly, "30 2 * * *")},
			[]string{fmt.Sprintf(nightly, yearly)},
			Ref{"CronJob", "shop-nightly"},
			v1alpha1.Field{Path: "spec.when", Format: "{{ .value }} 0 1 1 *"},
		},
		"a Job, where there is nothing else": {
			Act{Path: "spec.tier", To: "gold"}, []string{once}, nil, Ref{"Job", "shop-first"}, v1alpha1.Field{},
		},
		"nothing": {Act{Path: "spec.tier", To: "gold"}, nil, nil, Ref{}, v1alpha1.Field{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := visit(t, tc.change, tc.before, tc.after)
			main := r.Main()
			if diff := cmp.Diff([]any{tc.main, tc.replicas}, []any{main, r.mappings(main)[RoleReplicas].Field}); diff != "" {
				t.Errorf("main child and its number (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSchedules(t *testing.T) {
	for text, want := range map[string]string{
		"30 2 * * *":     "3 2 * * *",
		"*/5 9-17 * * 1": "3 9-17 * * 1",
		"@daily":         "3 0 * * *",
		"gold":           "",
		"a b c d e":      "",
		"shop:v1":        "",
	} {
		all := append([]string{""}, schedules(text)...)
		if got := all[len(all)-1]; got != want {
			t.Errorf("%q: the last is %q, want %q", text, got, want)
		}
		for _, schedule := range all[1:] {
			if format := FormatOf(schedule); strings.Replace(format, "{{ .value }}", "3", 1) != schedule {
				t.Errorf("%q is written as %q", schedule, format)
			}
		}
	}
}

// TestCompareWorkload: the workload of the profile is compared with the object that was
// made.
func TestCompareWorkload(t *testing.T) {
	known := map[string]v1alpha1.Workload{}
	for _, w := range profile.KnownWorkloads() {
		known[w.Kind] = w
	}
	edited := func(kind string, edit func(*v1alpha1.Workload)) *v1alpha1.Workload {
		w := known[kind]
		edit(&w)
		return &w
	}
	same := func(*v1alpha1.Workload) {}
	cronJob := visit(t, Act{Path: "spec.when", To: yearly}, []string{once, fmt.Sprintf(nightly, "30 2 * * *")}, []string{fmt.Sprintf(nightly, yearly)})
	set := visit(t, Act{Path: "spec.size", To: int64(3)}, []string{fmt.Sprintf(webSet, 2)}, []string{fmt.Sprintf(webSet, 3)})
	for name, tc := range map[string]struct {
		record  *Record
		claimed *v1alpha1.Workload
		want    string
	}{
		"a CronJob":                     {cronJob, edited("CronJob", same), ""},
		"a StatefulSet":                 {set, edited("StatefulSet", same), ""},
		"none":                          {cronJob, nil, "workload: it made no Deployment for Shop shop; it made: CronJob shop-nightly, Job shop-first"},
		"another that was made":         {cronJob, edited("Job", same), "workload.kind: Job; the fields of the spec appear in CronJob shop-nightly"},
		"another that was not":          {set, edited("DaemonSet", same), "workload.kind: it made no DaemonSet for Shop shop; it made: StatefulSet shop-db"},
		"another group":                 {cronJob, edited("CronJob", func(w *v1alpha1.Workload) { w.Group = "apps" }), "workload.group: apps; that of a CronJob is batch"},
		"another plural":                {set, edited("StatefulSet", func(w *v1alpha1.Workload) { w.Plural = "sets" }), "workload.plural: sets; that of a StatefulSet is statefulsets"},
		"no Pod template there":         {cronJob, edited("CronJob", func(w *v1alpha1.Workload) { w.PodTemplate = "spec.template" }), "workload.podTemplate: CronJob shop-nightly has no Pod template at spec.template; it is at spec.jobTemplate.spec.template"},
		"the number is elsewhere":       {cronJob, edited("CronJob", func(w *v1alpha1.Workload) { w.Replicas = "spec.replicas" }), "workload.replicas: spec.replicas; with spec.when: 3 0 1 1 *, spec.schedule of CronJob shop-nightly followed"},
		"it lacks what it shows":        {set, edited("StatefulSet", func(w *v1alpha1.Workload) { w.Lacks = []string{"spec.strategy", "status"} }), "workload.lacks[1]: StatefulSet shop-db had status.observedGeneration"},
		"it has not what it does not":   {cronJob, edited("CronJob", func(w *v1alpha1.Workload) { w.Lacks = []string{"status"} }), "workload.lacks: a CronJob has no spec.selector, unlike a Deployment"},
		"a part of what is not lacking": {set, edited("StatefulSet", func(w *v1alpha1.Workload) { w.Lacks = append(w.Lacks, "spec.selector.matchLabels") }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &profile.Profile{}
			p.Spec.Contract.Children.Deployment.Workload = tc.claimed
			r := tc.record
			main := r.Main()
			f := &finder{Record: r, main: main, workload: r.MainWorkload(), first: r.Acts[0], deployment: r.Film.At(39)[main], fields: r.mappings(main)}
			c := &comparison{finder: f, claimed: p}
			c.compareWorkload()
			var got []string
			for _, d := range c.found {
				got = append(got, strings.TrimPrefix(d.Field, "spec.contract.children.deployment.")+": "+d.Text)
			}
			if strings.Join(got, "\n") != tc.want {
				t.Errorf("differences:\n%s\nwant:\n%s", strings.Join(got, "\n"), tc.want)
			}
		})
	}
}

// TestFieldChangesOfSchedules: a schedule is changed into others, the rarest first.
func TestFieldChangesOfSchedules(t *testing.T) {
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"when": {Type: "string"}}},
		}},
	}}
	want := []FieldChange{
		{"spec.when", yearly},
		{"spec.when", "3 0 1 * *"},
		{"spec.when", "3 0 * * 0"},
		{"spec.when", "3 0 * * *"},
		{"spec.when", "3 2 * * *"},
	}
	if diff := cmp.Diff(want, FieldChanges(version, map[string]any{"when": "30 2 * * *"}, nil)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestPrimaryCalledLikeAWorkload: the primary kind may be called like a workload, as the
// CronJob of another group. Its objects are no children, whatever is in them.
func TestPrimaryCalledLikeAWorkload(t *testing.T) {
	const (
		primary = "kind: CronJob\nmetadata: {name: nightly}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: run, image: run:v1, envFrom: [{configMapRef: {name: %s}}]}]}}}}}"
		child   = "kind: Job\nmetadata: {name: nightly-1}\nspec: {template: {spec: {containers: [{name: run, image: run:v1}]}}}"
	)
	for kind, want := range map[string]struct{ cronJobs, changed bool }{"CronJob": {false, false}, "Shop": {true, true}} {
		r := &Record{Kind: kind}
		r.Film = NewFilm([]Frame{frame(t, 1, fmt.Sprintf(primary, "first")), frame(t, 2, child), frame(t, 20, fmt.Sprintf(primary, ProbeConfigMap))})
		change := Act{Deed: Change, Object: "nightly", Path: "spec.jobTemplate.spec.template.spec.containers[0].envFrom[0].configMapRef.name", To: ProbeConfigMap, After: 9, Until: 29, AfterSeq: 9, UntilSeq: 19}
		r.Acts = []Act{{Deed: Create, Object: "nightly", Until: 9, UntilSeq: 9}, change}
		r.Account.Requests = []history.Request{{Seq: 1, Verb: history.VerbCreate, Effect: history.EffectEffective, Group: "batch", Resource: "jobs", UID: "Job/nightly-1"}}
		if r.IsWorkload("CronJob") != want.cronJobs || r.templateChanged(change) != want.changed || !r.IsWorkload("Job") {
			t.Errorf("primary kind %s: a CronJob is a workload: %t; a template changed: %t", kind, r.IsWorkload("CronJob"), r.templateChanged(change))
		}
		if main := r.Main(); main.Kind != "Job" {
			t.Errorf("primary kind %s: the main child is %s", kind, main)
		}
	}
}
