package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
)

// TestReasons: a reason is about the main child if the Event names that child.
func TestReasons(t *testing.T) {
	type event struct {
		version         int
		reason, message string
	}
	for name, tc := range map[string]struct {
		events           []event
		anew             bool // the change made the object anew
		created, updated string
	}{
		"one for each": {
			[]event{{11, "Made", "made it"}, {31, "Edited", "edited it"}}, false, "Made", "Edited",
		},
		"one for all that is made, at changes too": {
			[]event{
				{11, "SuccessfulCreate", "created resource shop-web of Type *v1.Deployment"},
				{12, "SuccessfulCreate", "created resource shop-conf of Type *v1.ConfigMap"},
				{13, "SuccessfulUpdate", "updated resource shop-conf of Type *v1.ConfigMap"},
				{31, "SuccessfulCreate", "created resource shop-key of Type *v1.Secret"},
				{32, "Edited", "updated resource shop-web of Type *v1.Deployment"},
			}, false, "SuccessfulCreate", "Edited",
		},
		"at a change that made the object anew": {
			[]event{{11, "Made", "Deployment shop-web"}, {31, "Made", "Deployment shop-web"}}, true, "Made", "",
		},
		"at a change that did not": {
			[]event{{11, "Made", "Deployment shop-web"}, {31, "Made", "Deployment shop-web"}}, false, "", "",
		},
		"a child whose name only begins so": {
			[]event{
				{11, "Made", "Deployment shop-web was made"},
				{31, "Other", "Deployment shop-web-canary was scaled"},
			}, false, "Made", "",
		},
		"one for what is made, and one for what is changed at once": {
			[]event{
				{11, "SuccessfulCreate", "created Deployment shop-web"}, {12, "SuccessfulUpdate", "updated Deployment shop-web"},
			}, false, "SuccessfulCreate", "",
		},
		"the other order of letters": {
			[]event{{11, "Made", "made Deployment shop-web"}, {12, "Adapted", "adapted Deployment shop-web"}}, false, "Made", "",
		},
		"what tells of others only": {
			[]event{{11, "ServiceMade", "Service shop-web"}, {31, "ServiceEdited", "Service shop-web"}}, false, "ServiceMade", "ServiceEdited",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			for n, e := range tc.events {
				f := frame(t, e.version, fmt.Sprintf("kind: Event\nmetadata: {name: e%d}\ninvolvedObject: {kind: Shop, name: shop}\ntype: Normal\nreason: %s\nmessage: %q", n, e.reason, e.message))
				r.Film = append(r.Film, f)
				r.Account.Requests = append(r.Account.Requests, history.Request{Seq: 100, Resource: "events", UID: types.UID(f.Object.GetUID())})
			}
			r.Film = NewFilm(r.Film)
			r.Acts[1].Anew = tc.anew
			created, updated, _ := r.reasons()
			if created != tc.created || updated != tc.updated {
				t.Errorf("created %q, updated %q; want %q, %q", created, updated, tc.created, tc.updated)
			}
		})
	}
}

// TestReasonsEachTime: a reason for changes is claimed if each change that the main
// child followed had an Event with it.
func TestReasonsEachTime(t *testing.T) {
	for name, tc := range map[string]struct {
		before          int // Events about the object before the second change
		second          string
		updated, rarely string
	}{
		"of both":                      {0, "Edited", "Edited", ""},
		"of one":                       {0, "", "", "Edited"},
		"of one, as much was told yet": {25, "", "Edited", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			tell := func(version int, reason string) {
				f := frame(t, version, fmt.Sprintf("kind: Event\nmetadata: {name: e%d}\ninvolvedObject: {kind: Shop, name: shop}\ntype: Normal\nreason: %s\nmessage: m", version, reason))
				r.Film = append(r.Film, f)
				r.Account.Requests = append(r.Account.Requests, history.Request{Seq: 100, Resource: "events", UID: f.Object.GetUID()})
			}
			tell(11, "Made")
			tell(35, "Edited")
			for n := range tc.before {
				tell(50+n, "Odd")
			}
			if tc.second != "" {
				tell(95, tc.second)
			}
			r.Film = NewFilm(append(r.Film, frame(t, 91, fmt.Sprintf(deployment, 4, "shop:v1", 8080, "", 4))))
			r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: "spec.size", To: int64(4), After: 90, Until: 99, AfterSeq: 9, UntilSeq: 12})
			created, updated, rarely := r.reasons()
			if created != "Made" || updated != tc.updated || rarely != tc.rarely {
				t.Errorf("created %q, updated %q, rarely %q; want %q, %q", created, updated, rarely, tc.updated, tc.rarely)
			}
		})
	}
}

// TestFailures: a reason is claimed if an Event had it each time the name of a child
// was taken.
func TestFailures(t *testing.T) {
	const warning, normal = "Warning", "Normal"
	type event struct {
		object, kind, reason string
	}
	for name, tc := range map[string]struct {
		events  []event
		each    string
		various []string
	}{
		"the same each time":           {[]event{{"other", warning, "Exists"}, {"another", warning, "Exists"}}, "Exists", nil},
		"another the second time":      {[]event{{"other", warning, "Exists"}, {"another", warning, "NoShrink"}}, "", []string{"Exists", "NoShrink"}},
		"two, of which one each time":  {[]event{{"other", warning, "First"}, {"other", warning, "Exists"}, {"another", warning, "Exists"}}, "Exists", nil},
		"once of two times":            {[]event{{"other", warning, "Exists"}}, "", []string{"Exists"}},
		"only of what is nobody's":     {[]event{{"late", warning, "Exists"}}, "", nil},
		"a reason of well objects too": {[]event{{"shop", warning, "Odd"}, {"other", warning, "Odd"}, {"another", warning, "Odd"}}, "", nil},
		"no Warning":                   {[]event{{"other", normal, "Exists"}, {"another", normal, "Exists"}}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			version := map[string]int{"shop": 15, "late": 55, "other": 65, "another": 75}
			for n, e := range tc.events {
				f := frame(t, version[e.object]+n, fmt.Sprintf("kind: Event\nmetadata: {name: e%d}\ninvolvedObject: {kind: Shop, name: %s}\ntype: %s\nreason: %s\nmessage: m", n, e.object, e.kind, e.reason))
				r.Film = append(r.Film, f)
				r.Account.Requests = append(r.Account.Requests, history.Request{Seq: 100, Resource: "events", UID: f.Object.GetUID()})
			}
			r.Film = NewFilm(append(r.Film, frame(t, 51, "kind: Deployment\nmetadata: {name: late-web, labels: {"+StrangerLabel+": 'true'}}")))
			r.Acts = append(r.Acts, Act{Deed: Occupy, Object: "late", After: 52, Until: 60}, Act{Deed: Foreign, Object: "other", After: 60, Until: 70}, Act{Deed: Foreign, Object: "another", After: 70, Until: 80})
			each, various := r.failures()
			if each != tc.each {
				t.Errorf("each time %q, want %q", each, tc.each)
			}
			if diff := cmp.Diff(tc.various, various); diff != "" {
				t.Errorf("sometimes (-want +got):\n%s", diff)
			}
			r.Acts = r.Acts[:3] // if only an object without an owner was tried, that counts
			if each, _ := r.failures(); (each == "Exists") != (tc.events[0].object == "late") {
				t.Errorf("of what is nobody's: %q", each)
			}
		})
	}
}

// TestFailing: a condition reports failures if it tells of the failure. It does not
// count if it may only say that there are no Pods.
func TestFailing(t *testing.T) {
	const refusal = `deployments.apps "shop-web" is forbidden: ValidatingAdmissionPolicy 'no' denied request`
	for name, tc := range map[string]struct {
		before, well, bad string // conditions
		want              string // one in brackets may report the failure
	}{
		"that there are no Pods": {
			`{type: Available, status: "Unknown"}`, `{type: Available, status: "True"}`,
			`{type: Available, status: "False", reason: NoEndpoints, message: The service has no endpoints available}`, "",
		},
		"beside one whose type tells of failures": {
			`{type: Available, status: "Unknown"}`, `{type: Available, status: "True"}, {type: Reconciled, status: "True"}`,
			`{type: Available, status: "False", reason: NoEndpoints}, {type: Reconciled, status: "False"}`, "Reconciled",
		},
		"what the API server said": {
			`{type: Available, status: "Unknown"}`, `{type: Available, status: "True"}`,
			`{type: Available, status: "False", reason: Waiting, message: "it is not made: ` + strings.ReplaceAll(refusal, `"`, `\"`) + `"}`, "Available",
		},
		"that it failed, in its own words": {
			`{type: Available, status: "Unknown"}`, `{type: Available, status: "True"}`, `{type: Available, status: "False", reason: CreateFailed}`, "Available",
		},
		"that it cannot serve, which is no failed write": {
			`{type: Available, status: "Unknown"}`, `{type: Available, status: "True"}`,
			`{type: Available, status: "False", reason: NotServing, message: cannot serve yet}`, "",
		},
		"that it is unable to answer": {
			`{type: Ready, status: "Unknown"}`, `{type: Ready, status: "True"}`,
			`{type: Ready, status: "False", reason: NotReady, message: unable to accept connections}`, "",
		},
		"that a check of its Pods failed": {
			`{type: Ready, status: "Unknown"}`, `{type: Ready, status: "True"}`,
			`{type: Ready, status: "False", reason: Waiting, message: "the readiness probe failed: no ready replicas"}`, "",
		},
		"that it cannot write, and has no Pods yet": {
			`{type: Ready, status: "Unknown"}`, `{type: Ready, status: "True"}`,
			`{type: Ready, status: "False", reason: Waiting, message: "not ready yet: cannot create the Deployment"}`, "Ready",
		},
		"that what it needs cannot be written": {
			`{type: Ready, status: "Unknown"}`, `{type: Ready, status: "True"}`,
			`{type: Ready, status: "False", reason: Waiting, message: "the Deployment could not be created"}`, "Ready",
		},
		"the name of a reason": {
			`{type: Ready, status: "Unknown"}`, `{type: Ready, status: "True"}`, `{type: Ready, status: "False", reason: ReconcileError, message: no Pods yet}`, "Ready",
		},
		"that it failed, as at each start": {
			`{type: Available, status: "False"}`, `{type: Available, status: "True"}`, `{type: Available, status: "False", reason: CreateFailed}`, "(Available)",
		},
		"a type that tells of failures, as at each start": {
			`{type: Synced, status: "False"}`, `{type: Synced, status: "True"}`, `{type: Synced, status: "False"}`, "",
		},
		"a type that tells of failures, which quotes the API server": {
			`{type: Synced, status: "False"}`, `{type: Synced, status: "True"}`, `{type: Synced, status: "False", message: "` + strings.ReplaceAll(refusal, `"`, `\"`) + `"}`, "Synced",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := func(conditions string) string { return "{conditions: [" + conditions + "]}" }
			r := story(t, in(tc.before), in(tc.well), in(tc.before), in(tc.well))
			r.Film = NewFilm(append(r.Film, frame(t, 61, "kind: Shop\nmetadata: {name: refused}\nstatus: "+in(tc.bad))))
			r.Acts = append(r.Acts, Act{Deed: Hinder, Object: "refused", After: 60, Until: 69, AfterSeq: 12, UntilSeq: 14})
			r.Account.Requests = append(r.Account.Requests, history.Request{
				Seq: 13, Verb: history.VerbCreate, Effect: history.EffectRefused, Group: "apps", Resource: "deployments", Code: 403, Message: refusal,
			})
			got := ""
			told := r.troubles(Status{Conditions: "status.conditions"})
			if told.condition != nil {
				got = told.condition.Type
			}
			if told.ambiguous != nil {
				got += "(" + told.ambiguous.Type + ")"
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
