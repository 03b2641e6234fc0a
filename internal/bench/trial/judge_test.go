package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// If the generation is raised without the disturbance, too, the disturbance is not the
// cause. A field that differs always counts.
func TestUsualHarm(t *testing.T) {
	raised := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "update of rollouts", Path: v1alpha1.RuleGenerationRaised}
	other := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "update of services", Path: v1alpha1.RuleGenerationRaised}
	field := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: raised.Object, Path: raised.Path}
	all := []v1alpha1.Divergence{raised, other, field}
	late := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "services demo", Path: HarmLateCleanup}
	all = append(all, late) // it is told even if it is usual
	usual := &v1alpha1.TrialUndisturbed{Harms: []v1alpha1.TrialMask{{Object: raised.Object, Path: raised.Path}, {Object: late.Object, Path: late.Path}}}

	if diff := cmp.Diff(all, withoutUsual(append([]v1alpha1.Divergence(nil), all...), nil, history.Generated{})); diff != "" {
		t.Errorf("while it is recorded (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Divergence{other, field, late}, withoutUsual(all, usual, history.Generated{})); diff != "" {
		t.Errorf("disturbed (-want +got):\n%s", diff)
	}
}

// TestUsualHarmToMadeUpNames: what is usual may be about all names that the controller makes up.
func TestUsualHarmToMadeUpNames(t *testing.T) {
	harm := func(object string) v1alpha1.Divergence {
		return v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: object, Path: v1alpha1.RuleChildReplaced}
	}
	usual := &v1alpha1.TrialUndisturbed{Harms: []v1alpha1.TrialMask{{Object: "jobs.batch demo-?????", Path: v1alpha1.RuleChildReplaced}}}
	got := withoutUsual([]v1alpha1.Divergence{harm("jobs.batch demo-x7k2p"), harm("jobs.batch demo-?????"), harm("jobs.batch demo")}, usual, history.Generated{})
	if diff := cmp.Diff([]v1alpha1.Divergence{harm("jobs.batch demo")}, got); diff != "" {
		t.Errorf("disturbed (-want +got):\n%s", diff)
	}
}

// TestHarmsOf: only harm to an object can be written into another Trial.
func TestHarmsOf(t *testing.T) {
	harm := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "services demo", Path: "deletion"}
	nothing, field := harm, harm
	nothing.Object, field.Kind = "", v1alpha1.DivergenceField
	got := HarmsOf([]v1alpha1.Divergence{harm, nothing, field, harm})
	if diff := cmp.Diff([]v1alpha1.TrialMask{{Object: "services demo", Path: "deletion"}}, got); diff != "" {
		t.Errorf("harms (-want +got):\n%s", diff)
	}
}

// TestBystandersAreNoChildren: whether a controller deletes a bystander says nothing
// about the child of the same name.
func TestBystandersAreNoChildren(t *testing.T) {
	deleted := func(name string, bystander bool) history.Request {
		return history.Request{
			Verb: history.VerbDelete, Resource: "secrets", Name: name, Effect: history.EffectEffective, Bystander: bystander,
		}
	}
	requests := []history.Request{deleted("taken", true), deleted("own", false), deleted("own", false)}
	if diff := cmp.Diff([]string{"secrets own"}, deletions(requests, history.Generated{})); diff != "" {
		t.Errorf("deletions (-want +got):\n%s", diff)
	}
}

// TestUnreached: if the request came after the disturbance had ended, the message does
// not say that it never came.
func TestUnreached(t *testing.T) {
	patch := history.Request{Seq: 5, Verb: "patch", Resource: "configmaps", Name: "demo"}
	at := func(occurrence int32) *disturbance {
		d := &disturbance{}
		d.At = v1alpha1.TrialPoint{Verb: "patch", Resource: "configmaps", Occurrence: occurrence}
		return d
	}
	lasts := at(0)
	lasts.lasts = true
	for name, tc := range map[string]struct {
		disturbance *disturbance
		came        int
		want        string
	}{
		"too few":  {at(2), 1, "it is about request 2 that matches, and 1 came"},
		"none":     {at(0), 0, "it is about request 1 that matches, and 0 came"},
		"enough":   {at(2), 2, "it is about request 2 that matches, which came only after the disturbance had ended"},
		"more":     {at(2), 3, "it is about request 2 that matches, which came only after the disturbance had ended"},
		"it lasts": {lasts, 1, "nothing came on these watches, or nothing was read, while it lasted (1 requests matched)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{disturbance: tc.disturbance}
			var account history.Account
			for range tc.came {
				account.Requests = append(account.Requests, patch)
			}
			if got := r.unreached(account); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestStartHarm: if nothing has happened but that a new process began, it writes no child.
func TestStartHarm(t *testing.T) {
	restart := operation{TrialOperation: v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}}}
	edit := operation{TrialOperation: v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}}
	write := history.Request{
		Seq: 5, Verb: history.VerbUpdate, Resource: "services", Name: "demo", Effect: history.EffectEffective,
		Owners: []history.Owner{{UID: "own", Controller: true}},
	}
	changed := func(change func(*history.Request)) history.Request {
		q := write
		change(&q)
		return q
	}
	slowed := func(verb string) *disturbance {
		fault := &v1alpha1.FaultAction{DelayMs: ptr.To[int64](3000)}
		return &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{At: v1alpha1.TrialPoint{Verb: verb}, Fault: fault}}
	}
	for name, tc := range map[string]struct {
		last    operation
		disturb *disturbance
		write   history.Request
		want    int
	}{
		"a child":                     {restart, nil, write, 1},
		"after an edit":               {edit, nil, write, 0},
		"disturbed":                   {restart, &disturbance{}, write, 0},
		"a list comes late":           {restart, slowed(history.VerbList), write, 1},
		"a write takes long":          {restart, slowed(history.VerbUpdate), write, 0},
		"after the touch":             {restart, nil, changed(func(q *history.Request) { q.Seq = 9 }), 0},
		"before the restart":          {restart, nil, changed(func(q *history.Request) { q.Seq = 2 }), 0},
		"without an effect":           {restart, nil, changed(func(q *history.Request) { q.Effect = history.EffectNoop }), 0},
		"a status":                    {restart, nil, changed(func(q *history.Request) { q.Subresource = "status" }), 0},
		"a child that was missing":    {restart, nil, changed(func(q *history.Request) { q.Verb = history.VerbCreate }), 0},
		"a child of one that is gone": {restart, nil, changed(func(q *history.Request) { q.Owners = []history.Owner{{UID: "past", Controller: true}} }), 0},
		"what nobody owns":            {restart, nil, changed(func(q *history.Request) { q.Owners = nil }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{operations: []operation{{}, tc.last}, disturbance: tc.disturb, after: 3, touched: moment{began, 8}, living: map[types.UID]bool{"own": true}}
			if got := r.startHarm(history.Account{Requests: []history.Request{tc.write, tc.write}}); len(got) != tc.want {
				t.Errorf("%d harms, want %d: %+v", len(got), tc.want, got)
			}
		})
	}
}

// TestBrokenTimeline: of a Trial that has not seen all versions of its objects nobody can say that
// nothing happened on the way.
func TestBrokenTimeline(t *testing.T) {
	for name, tc := range map[string]struct {
		seen *timeline
		want v1alpha1.Judgement
	}{
		"all was seen": {&timeline{}, v1alpha1.JudgementMet},
		"some was not": {&timeline{broken: true}, v1alpha1.JudgementInvalid},
	} {
		status := v1alpha1.TrialStatus{Phase: v1alpha1.TrialDone}
		(&run{seen: tc.seen}).conform(&status)
		if status.Verdict != tc.want || (status.Phase == v1alpha1.TrialInvalid) != (tc.want == v1alpha1.JudgementInvalid) {
			t.Errorf("%s: %s, phase %s: %s", name, status.Verdict, status.Phase, status.Message)
		}
	}
}

// TestNeverLeads: a former leader that does not lead again is told, with how long the Lease was
// free.
func TestNeverLeads(t *testing.T) {
	r := &run{Controller: &Controller{Profile: func(string) *profile.Profile { return &profile.Profile{} }}, within: time.Minute}
	r.leaderless("subject-1", HarmNeverLeads, "it leads", "it did not")
	if len(r.divergences) != 1 || r.divergences[0].Path != HarmNeverLeads || r.divergences[0].Object != "subject-1" ||
		!strings.Contains(r.divergences[0].Found, "it did not in 1m") {
		t.Errorf("divergences: %+v", r.divergences)
	}
}

// TestRepairedOf: what a restart leaves as it was, or in another wrong way, it does not repair.
func TestRepairedOf(t *testing.T) {
	field := func(object, path, found string) v1alpha1.Divergence {
		return v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: object, Path: path, Found: found}
	}
	before := []v1alpha1.Divergence{field("apps demo", "status.phase", "1"), field("apps demo", "status.ready", "1"), field("services demo", "status.phase", "1")}
	left := []v1alpha1.Divergence{field("apps demo", "status.phase", "2"), field("secrets demo", "data", "1")}
	if diff := cmp.Diff(before[1:], repairedOf(before, left)); diff != "" {
		t.Errorf("repaired (-want +got):\n%s", diff)
	}
}
