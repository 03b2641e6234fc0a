package infer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// stalling adds to a story an object whose Pods become ready, and that then gets an image
// whose Pods never do. The object's status is given while its first Pods are not ready, when
// all are, and at the end, and that of the Deployment at the end.
func stalling(t *testing.T, r *Record, waiting, ready, status, deployment string) {
	t.Helper()
	const image = "\nspec: {replicas: 2, template: {spec: {containers: [{name: web, image: 'shop:%'}]}}}"
	made := func(version int, tag, status string) Frame {
		return frame(t, version, "kind: Deployment\nmetadata: {name: late-web, generation: 2}"+strings.ReplaceAll(image, "%", tag)+"\nstatus: "+status)
	}
	r.Film = NewFilm(append(r.Film,
		frame(t, 51, "kind: Shop\nmetadata: {name: late, generation: 1}\nstatus: "+waiting),
		made(52, "never-ready", "{observedGeneration: 1, updatedReplicas: 2, readyReplicas: 0}"),
		made(61, "v2", "{observedGeneration: 2, updatedReplicas: 2, readyReplicas: 2}"),
		frame(t, 62, "kind: Shop\nmetadata: {name: late, generation: 2}\nstatus: "+ready),
		made(71, "never-ready", deployment),
		frame(t, 72, "kind: Shop\nmetadata: {name: late, generation: 3}\nstatus: "+status)))
	r.Acts = append(r.Acts,
		Act{Deed: Withhold, Object: "late", After: 50, Until: 60, AfterSeq: 10, UntilSeq: 12},
		Act{Deed: Rehearse, Object: "late", Path: "spec.image", To: "shop:v2", After: 60, Until: 70, AfterSeq: 12, UntilSeq: 12},
		Act{Deed: Stall, Object: "late", Path: "spec.image", To: "shop:never-ready", After: 70, Until: 80, AfterSeq: 12, UntilSeq: 12})
	r.Account.Requests = append(r.Account.Requests, created(11, "deployments", "Deployment/late-web"))
}

// What goes on saying that an object is ready while its rollout is stuck is not a phase.
func TestOutlived(t *testing.T) {
	const (
		stuck      = "{observedGeneration: 2, updatedReplicas: 1, readyReplicas: 2}"
		word, wait = "{state: Up}", "{state: Rolling}"
		yes, no    = "{conditions: [{type: Ready, status: 'True'}]}", "{conditions: [{type: Ready, status: 'False'}]}"
		both       = "{state: Up, conditions: [{type: Ready, status: 'True'}]}"
		neither    = "{state: Rolling, conditions: [{type: Ready, status: 'False'}]}"
	)
	phases := map[string]string{"Running": "Up", "Deploying": "Rolling"}
	byWord := Status{Phase: "status.state", Phases: phases}
	for name, tc := range map[string]struct {
		waiting, ready, stalled, deployment string
		want                                Status
	}{
		"a word that goes":       {wait, word, wait, stuck, byWord},
		"a word that stays":      {wait, word, word, stuck, Status{Outlived: []Sign{{Path: "status.state", Phases: phases}}}},
		"a condition that goes":  {no, yes, no, stuck, Status{Conditions: "status.conditions", PhaseCondition: "Ready"}},
		"a condition that stays": {no, yes, yes, stuck, Status{Conditions: "status.conditions", Outlived: []Sign{{Condition: "Ready"}}}},
		"of a word and a condition, the word stays": {
			neither, both, "{state: Up, conditions: [{type: Ready, status: 'False'}]}", stuck,
			Status{Conditions: "status.conditions", PhaseCondition: "Ready", Outlived: []Sign{{Path: "status.state", Phases: phases}}},
		},
		"both stay": {
			neither, both, both, stuck,
			Status{Conditions: "status.conditions", Outlived: []Sign{{Path: "status.state", Phases: phases}, {Condition: "Ready"}}},
		},
		"progress, which is not readiness": {
			"{conditions: [{type: Progressing, status: 'False'}]}", "{conditions: [{type: Progressing, status: 'True'}]}",
			"{conditions: [{type: Progressing, status: 'True'}]}", stuck,
			Status{Conditions: "status.conditions"},
		},
		"ready Pods of the image before, which count as the Deployment's do": {
			"{ready: 0}", "{ready: 2}", "{ready: 2}", stuck, Status{Ready: "status.ready"},
		},
		"the rollout had not begun": {wait, word, word, "{observedGeneration: 1, updatedReplicas: 2, readyReplicas: 2}", byWord},
		"no Pod was replaced":       {wait, word, word, "{observedGeneration: 2, updatedReplicas: 0, readyReplicas: 2}", byWord},
	} {
		t.Run(name, func(t *testing.T) {
			last := tc.ready
			if strings.Contains(last, "ready:") {
				last = "{ready: 3}"
			}
			r := story(t, tc.waiting, tc.ready, tc.waiting, last)
			stalling(t, r, tc.waiting, tc.ready, tc.stalled, tc.deployment)
			got := r.status(nil)
			got.Notes = nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

// The question says what to write if the sign is meant to be the phase.
func TestAskOutlived(t *testing.T) {
	for name, tc := range map[string]struct {
		sign Sign
		want []string
	}{
		"a condition": {Sign{Condition: "Ready"}, []string{"the condition Ready was True once", `write phase: {condition: {type: Ready, status: "True"}}, and`}},
		"a word":      {Sign{Path: "status.phase"}, []string{"status.phase was Running once", "write phase: {path: status.phase}, and"}},
		"a word of its own": {
			Sign{Path: "status.state", Phases: map[string]string{"Running": "Up", "Deploying": "Rolling"}},
			[]string{"status.state was Up once", "write phase: {path: status.state} and contract: {phases: {Deploying: Rolling, Running: Up}}, and"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{status: Status{Outlived: []Sign{tc.sign}}}
			f.Asked = map[string][]Question{}
			f.askOutlived("contract.status.phase")
			for _, want := range tc.want {
				if got := asOne(f.Asked["contract.status.phase"]); !strings.Contains(got, want) {
					t.Errorf("asked %q, want %q in it", got, want)
				}
			}
			if line := f.Asked["contract.status.phase"][0].Lines[0]; !strings.Contains(tc.want[1], line) {
				t.Errorf("the line that may answer is %q, want that of %q", line, tc.want[1])
			}
		})
	}
}

// What says that an object is ready before its Pods are is asked about: it may be a mistake.
func TestEarlySigns(t *testing.T) {
	const yes = "conditions: [{type: Ready, status: 'True'}, {type: Accepted, status: 'True'}]"
	for name, tc := range map[string]struct {
		waiting, ready string
		want           []string
	}{
		"a condition":           {"{" + yes + "}", "{" + yes + "}", []string{`phase: {condition: {type: Ready, status: "True"}}`}},
		"a word":                {"{phase: Ready}", "{phase: Ready}", []string{"phase: {path: status.phase}"}},
		"both":                  {"{phase: Running, " + yes + "}", "{phase: Running, " + yes + "}", []string{`phase: {condition: {type: Ready, status: "True"}}`, "phase: {path: status.phase}"}},
		"another word":          {"{phase: Bound}", "{phase: Bound}", nil},
		"a word of another job": {"{image: Ready}", "{image: Ready}", nil},
		"a condition in time":   {"{conditions: [{type: Ready, status: 'False'}]}", "{" + yes + "}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, tc.waiting, tc.ready, tc.waiting, tc.ready)
			f := &finder{Record: r, status: r.status(nil)}
			f.Asked = map[string][]Question{}
			f.askEarly("contract.status.phase")
			var got []string
			for _, question := range f.Asked["contract.status.phase"] {
				got = append(got, question.Lines...)
				if !strings.Contains(question.Text, " before its Pods were ready. Is that a mistake? If it must say that all Pods are ready, write "+question.Lines[0]) {
					t.Errorf("asked %q", question.Text)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lines that may answer (-want +got):\n%s", diff)
			}
		})
	}
}

// If a profile takes such a sign for the phase, validate says so, and its scenarios
// judge it.
func TestCompareOutlived(t *testing.T) {
	for name, tc := range map[string]struct {
		stalled string
		want    []Difference
	}{
		"it goes": {"{state: Rolling}", nil},
		"it stays": {"{state: Up}", []Difference{{
			Field: "spec.contract.status.phase.path", Judged: true,
			Text: "status.state stayed Up when the object got an image whose Pods do not become ready: does it say that Pods serve, and not that the last change is rolled out?",
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{state: Rolling}", "{state: Up}", "{state: Rolling}", "{state: Up}")
			stalling(t, r, "{state: Rolling}", "{state: Up}", tc.stalled, "{observedGeneration: 2, updatedReplicas: 1, readyReplicas: 2}")
			claimed := &profile.Profile{}
			claimed.Spec.Contract.Status.Phase = &v1alpha1.Field{Path: "status.state"}
			claimed.Spec.Contract.Phases = map[string]string{"Running": "Up"}
			c := &comparison{finder: &finder{Record: r}, claimed: claimed}
			c.compareReadiness(r.moments())
			if diff := cmp.Diff(tc.want, c.found); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}
