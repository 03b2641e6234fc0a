package infer

import (
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestPortTaken: a port that requirements use is no use to them if the container has it
// anyway, in a place that the field does not decide about.
func TestPortTaken(t *testing.T) {
	const at = "spec.template.spec.containers[1].ports"
	for name, tc := range map[string]struct {
		ports   string
		effects []Effect
		want    int64
	}{
		"the field's own":                {"[{containerPort: 8080}]", []Effect{{Path: at + "[0].containerPort"}}, 0},
		"another one":                    {"[{containerPort: 2181}, {containerPort: 7000}]", []Effect{{Path: at + "[0].containerPort"}}, 0},
		"the first, in another place":    {"[{containerPort: 2181}, {containerPort: 8080}]", []Effect{{Path: at + "[0].containerPort"}}, 8080},
		"the second, in another place":   {"[{containerPort: 9090}, {containerPort: 80}]", []Effect{{Path: at + "[1].containerPort"}}, 9090},
		"two places, the field's both":   {"[{containerPort: 8080}, {containerPort: 8080}]", []Effect{{Path: at + "[0].containerPort"}, {Path: at + "[1].containerPort"}}, 0},
		"a container without any ports":  {"[]", nil, 0},
		"the field decides of a Service": {"[{containerPort: 8080}]", []Effect{{Path: "spec.ports[0].port"}}, 8080},
	} {
		f := &finder{Record: &Record{}, workload: v1alpha1.Workload{PodTemplate: "spec.template"}, container: "1"}
		f.deployment = frame(t, 1, "kind: Deployment\nmetadata: {name: shop}\nspec: {template: {spec: {containers: [{name: proxy, ports: [{containerPort: 9090}]}, "+
			"{name: shop, ports: "+tc.ports+"}]}}}").Object
		if got := f.portTaken(mapped{Effects: tc.effects}); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// TestCannotDepend: that a field names a ConfigMap is no promise that the Pods follow its
// content. A controller that asks for no ConfigMap cannot know of a change, and a Job that has
// finished need not be made again.
func TestCannotDepend(t *testing.T) {
	deployment, job := v1alpha1.Workload{Group: "apps", Kind: "Deployment"}, v1alpha1.Workload{Group: "batch", Kind: "Job"}
	of := func(verb, group, resource string) history.Request {
		return history.Request{Verb: verb, Group: group, Resource: resource, Code: 200}
	}
	const unread = "the controller never reads or watches ConfigMaps, so it cannot know of it"
	for name, tc := range map[string]struct {
		workload v1alpha1.Workload
		request  history.Request
		want     string
	}{
		"it watches them":              {deployment, of(history.VerbWatch, "", "configmaps"), ""},
		"it reads one":                 {deployment, of(history.VerbGet, "", "configmaps"), ""},
		"it only makes one":            {deployment, of(history.VerbCreate, "", "configmaps"), unread},
		"a resource of the same name":  {deployment, of(history.VerbList, "example.com", "configmaps"), unread},
		"it reads the lock of its own": {deployment, history.Request{Verb: history.VerbGet, Resource: "configmaps", Lock: true}, unread},
		"a Job, and it watches them":   {job, of(history.VerbWatch, "", "configmaps"), "a Job that has finished need not be made again"},
	} {
		f := &finder{Record: &Record{}, workload: tc.workload}
		f.Account.Requests = []history.Request{tc.request}
		if got := f.cannotDepend(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestCleanup: a controller cleans up if it deletes children that were there when the object
// was deleted. What it made for the cleanup itself is no such child.
func TestCleanup(t *testing.T) {
	for name, tc := range map[string]struct{ deleted, want string }{
		"its child":                   {"install-shop", "controller"},
		"a Job that it made for this": {"delete-shop", "gc"},
		"all Jobs with its labels":    {"", "controller"},
	} {
		r := &Record{Film: NewFilm([]Frame{
			frame(t, 10, "{kind: Job, metadata: {name: install-shop, uid: a}}"), frame(t, 30, "{kind: Job, metadata: {name: delete-shop, uid: b}}"),
		})}
		r.Acts = []Act{{Deed: Delete, Object: "shop", After: 20, Until: 40, AfterSeq: 1, UntilSeq: 9}}
		r.Account.Requests = []history.Request{{Seq: 5, Verb: history.VerbDelete, Group: "batch", Resource: "jobs", Name: tc.deleted, Effect: history.EffectEffective}}
		f := &finder{Record: r, workload: v1alpha1.Workload{Group: "batch", Kind: "Job", Plural: "jobs"}}
		f.Notes = map[string]Note{}
		f.deployment = r.Film.At(20)[Ref{"Job", "install-shop"}]
		f.findOwnership()
		if got := f.Spec.Claims.Cleanup; string(got) != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestCleanupOfAll: a deletion of all that have certain labels is no cleanup of children if
// there were none, or if it removed nothing.
func TestCleanupOfAll(t *testing.T) {
	for name, tc := range map[string]struct {
		version int
		effect  history.Effect
		want    string
	}{
		"it removed one":     {10, history.EffectEffective, "controller"},
		"it removed nothing": {10, history.EffectNoop, "gc"},
		"there was none":     {30, history.EffectEffective, "gc"},
	} {
		r := &Record{Film: NewFilm([]Frame{frame(t, tc.version, "{kind: Job, metadata: {name: shop, uid: a}}")})}
		r.Acts = []Act{{Deed: Delete, Object: "shop", After: 20, Until: 40, AfterSeq: 1, UntilSeq: 9}}
		r.Account.Requests = []history.Request{{Seq: 5, Verb: history.VerbDelete, Group: "batch", Resource: "jobs", Effect: tc.effect}}
		f := &finder{Record: r, workload: v1alpha1.Workload{Group: "batch", Kind: "Job", Plural: "jobs"}}
		f.Notes = map[string]Note{}
		f.deployment = r.Film.At(40)[Ref{"Job", "shop"}]
		f.findOwnership()
		if got := f.Spec.Claims.Cleanup; got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestCleanupThatWasNotSeen: if nothing was deleted, the garbage collector is assumed to remove the
// children, unless they have no owner.
func TestCleanupThatWasNotSeen(t *testing.T) {
	for owner, want := range map[string]string{"[{kind: Shop, name: shop, uid: s, controller: true}]": "gc", "[]": "controller"} {
		r := &Record{Kind: "Shop", Film: NewFilm([]Frame{
			frame(t, 10, "{kind: Shop, metadata: {name: shop, uid: s}}"),
			frame(t, 11, "{kind: Job, metadata: {name: shop, uid: a, ownerReferences: "+owner+"}}"),
		})}
		f := &finder{Record: r, first: Act{Object: "shop"}, workload: v1alpha1.Workload{Group: "batch", Kind: "Job", Plural: "jobs"}}
		f.Notes = map[string]Note{}
		f.deployment = r.Film.Last()[Ref{"Job", "shop"}]
		f.findOwnership()
		if got := f.Spec.Claims.Cleanup; string(got) != want || f.Notes["claims.cleanup"].Basis != Guessed {
			t.Errorf("owner %s: %s (%+v), want %s, guessed", owner, got, f.Notes["claims.cleanup"], want)
		}
	}
}

// TestQuiet: a controller is quiet if it sent no write that changes nothing, and none at rest.
// What is no work of its own does not count.
func TestQuiet(t *testing.T) {
	request := func(resource, effect string, seq int64) history.Request {
		return history.Request{Seq: seq, Verb: history.VerbUpdate, Resource: resource, Effect: history.Effect(effect)}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		asks     string
	}{
		"it writes what it must": {[]history.Request{request("services", "effective", 5)}, ""},
		"a write at rest":        {[]history.Request{request("services", "effective", 15)}, "quiet is not claimed: 0 of its writes changed nothing, and 1 came at rest"},
		"a needless one":         {[]history.Request{request("services", "noop", 5)}, "quiet is not claimed: 1 of its writes changed nothing, and 0 came at rest"},
		"an Event at rest":       {[]history.Request{request("events", "effective", 15)}, ""},
		"a review": {[]history.Request{{
			Seq: 15, Verb: history.VerbCreate, Group: "authorization.k8s.io", Resource: "subjectaccessreviews", Effect: history.EffectNoop,
		}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Record: &Record{Acts: []Act{{Deed: Rest, Object: "shop", AfterSeq: 10, UntilSeq: 20}}}}
			f.Account.Requests = tc.requests
			f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
			f.findQuiet()
			var asks string
			for _, question := range f.Asked["claims.features"] {
				asks += question.Text
			}
			if claimed := slices.Contains(f.Spec.Claims.Features, v1alpha1.FeatureQuiet); claimed != (tc.asks == "") || asks != tc.asks {
				t.Errorf("claimed: %t; it asks %q, want %q", claimed, asks, tc.asks)
			}
		})
	}
}

// TestDoubtRest: the same fields, changed again and again while nothing was done, are doubted.
func TestDoubtRest(t *testing.T) {
	update := history.Request{Verb: history.VerbUpdate, Group: "example.com", Resource: "shops", Name: "first-look", Effect: history.EffectEffective, Changed: []string{"status.conditions"}}
	other, noop, event, on, off, beat := update, update, update, update, update, update
	other.Name, noop.Effect = "second-look", history.EffectNoop
	on.Values = []history.Change{{Path: "status.conditions", Was: "off", Is: "on"}}
	off.Values = []history.Change{{Path: "status.conditions", Was: "on", Is: "off"}}
	beat.Values = []history.Change{{Path: "status.conditions", Was: "on", Is: "1"}}
	next := beat
	next.Values = []history.Change{{Path: "status.conditions", Was: "1", Is: "2"}}
	event.Group, event.Resource = "", "events"
	const told = "with nothing to do, it changed status.conditions of shops.example.com first-look again and again: does"
	for name, tc := range map[string]struct {
		requests []history.Request
		at       int64 // of the first
		want     string
	}{
		"again and again":  {slices.Repeat([]history.Request{update, other}, restless), 11, told},
		"one time less":    {slices.Repeat([]history.Request{update, other}, restless-1), 11, ""},
		"before the rest":  {slices.Repeat([]history.Request{update}, restless), 1, ""},
		"without a change": {slices.Repeat([]history.Request{noop}, restless), 11, ""},
		"Events":           {slices.Repeat([]history.Request{event}, restless), 11, ""},
		"back and forth":   {[]history.Request{on, off, on}, 11, "with nothing to do, it changed status.conditions of shops.example.com first-look back and forth: do"},
		"back once":        {[]history.Request{on, off}, 11, ""},
		"on its way":       {[]history.Request{on, beat, next}, 11, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Record: &Record{}}
			for n, request := range tc.requests {
				request.Seq = tc.at + int64(n)
				f.Account.Requests = append(f.Account.Requests, request)
			}
			f.doubtRest(Act{Deed: Rest, Object: "first-look", AfterSeq: 10, UntilSeq: 99})
			var doubts string
			for _, doubt := range f.Doubts {
				doubts += doubt.Text
			}
			if (doubts == "") != (tc.want == "") || !strings.HasPrefix(doubts, tc.want) {
				t.Errorf("doubts %q, want %q", doubts, tc.want)
			}
		})
	}
}

// TestFilled: a printer column is filled if kubectl shows a value there.
func TestFilled(t *testing.T) {
	object := map[string]any{"status": map[string]any{"word": "a", "zero": int64(0), "off": false, "empty": "", "null": nil}}
	for path, want := range map[string]bool{
		".status.word": true, ".status.zero": true, ".status.off": true, ".status.empty": false, ".status.null": false, ".status.none": false, ".none.none": false, "{": false,
	} {
		if got := filled(object, path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
