package bench_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	benchtrial "reconform.dev/reconform/internal/bench/trial"
)

const webAppsName = "webapps.apps.kubedojo.io"

// raw is a value in a Trial.
func raw(t *testing.T, value any) apiextensionsv1.JSON {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return apiextensionsv1.JSON{Raw: data}
}

// trialOf creates the WebApp demo.
func trialOf(t *testing.T, ns, name string, edit func(*v1alpha1.TrialSpec)) *v1alpha1.Trial {
	t.Helper()
	object := webApp("", "demo", "a:1")
	trial := &v1alpha1.Trial{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	trial.Spec = v1alpha1.TrialSpec{
		Operations: []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: raw(t, object.Object)}}},
		Resources:  []string{webAppsName}, Within: plus(2 * time.Second),
	}
	if edit != nil {
		edit(&trial.Spec)
	}
	return trial
}

// carriedOut is the result of a Trial, with a subject of its own.
func carriedOut(t *testing.T, edit func(*v1alpha1.TrialSpec)) v1alpha1.TrialStatus {
	t.Helper()
	ns := namespace(t)
	create(t, subjectIn(ns, nil))
	trial := create(t, trialOf(t, ns, "trial", edit))
	await(t, trial, "done", func(trial *v1alpha1.Trial) bool { return !trial.Status.Verdict.IsPending() })
	if hasFault := hasEvent(ns, "FaultArmed", "Fault/trial-disturbance"); hasFault && !hasEvent(ns, "FaultRemoved", "Fault/trial-disturbance") {
		t.Error("the disturbance is still in force")
	}
	return trial.Status
}

// statusWrite is the point of the only write of the subject of these tests.
func statusWrite(occurrence int32) v1alpha1.TrialPoint {
	return v1alpha1.TrialPoint{Verb: "update", Resource: webAppsName, Subresource: "status", Name: "demo", Occurrence: occurrence}
}

// TestTrial disturbs a subject that writes a status once for each new WebApp, and never
// tries again.
func TestTrial(t *testing.T) {
	t.Parallel()
	undisturbed := carriedOut(t, nil)
	if undisturbed.Verdict != v1alpha1.JudgementMet || !undisturbed.Reached || !strings.Contains(undisturbed.Outcome, `"phase":"Running"`) {
		t.Fatalf("undisturbed: %+v", undisturbed)
	}
	if strings.Contains(undisturbed.Outcome, "touched") || undisturbed.Writes != 1 {
		t.Errorf("the touch counts: %+v", undisturbed)
	}
	disturbedBy := func(d v1alpha1.TrialDisturbance) func(*v1alpha1.TrialSpec) {
		return func(spec *v1alpha1.TrialSpec) {
			spec.Disturb = &d
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: undisturbed.Outcome, Writes: 1}
		}
	}
	fails := v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: 500}}
	for name, tc := range map[string]struct {
		disturb v1alpha1.TrialDisturbance
		want    v1alpha1.Judgement
		path    string // of a divergence
		message string
	}{
		"a write that fails is never repeated": {
			v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &fails}, v1alpha1.JudgementNotMet, "status", "status: expected",
		},
		"a lost answer does no harm": {
			v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &v1alpha1.FaultAction{LoseResponse: &v1alpha1.Empty{}}}, v1alpha1.JudgementMet, "", "as without",
		},
		"an answer that comes late does no harm": {
			v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &v1alpha1.FaultAction{HoldAnswer: &v1alpha1.Empty{}}}, v1alpha1.JudgementMet, "", "as without",
		},
		"an error that lasts": {
			v1alpha1.TrialDisturbance{At: statusWrite(0), Fault: &fails, Lasting: true}, v1alpha1.JudgementNotMet, "status", "status: expected",
		},
		"a kill just before the write": {
			v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashBefore}}},
			v1alpha1.JudgementNotMet, "status", "status: expected",
		},
		"a write that never comes": {
			v1alpha1.TrialDisturbance{At: statusWrite(2), Fault: &fails}, v1alpha1.JudgementInvalid, "", "request 2 that matches, and 1 came",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := carriedOut(t, disturbedBy(tc.disturb))
			if got.Verdict != tc.want || !strings.Contains(got.Message, tc.message) || got.Reached != (tc.want != v1alpha1.JudgementInvalid) {
				t.Errorf("status: %+v", got)
			}
			if tc.path != "" && (len(got.Divergences) == 0 || got.Divergences[0].Path != tc.path || len(got.Requests) == 0) {
				t.Errorf("divergences: %+v, requests %v", got.Divergences, got.Requests)
			}
		})
	}
	for name, effective := range map[string]bool{"no answer to a write that is not carried out": false, "no answer to a write that is carried out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hang := v1alpha1.FaultAction{Hang: &v1alpha1.Hang{Ms: 300, CarriedOut: effective}}
			got := carriedOut(t, disturbedBy(v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &hang}))
			// The subject never repeats it.
			if met := got.Verdict == v1alpha1.JudgementMet; met != effective || !got.Reached {
				t.Errorf("status: %+v", got)
			}
			if u := got.Unanswered; u == nil || u.WaitedMs < 300 || u.GaveUp || u.Requests > 0 {
				t.Errorf("unanswered: %+v", u)
			}
		})
	}
	t.Run("a deletion that is missed", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			spec.Operations = append(spec.Operations, v1alpha1.TrialOperation{Delete: &v1alpha1.TrialTarget{Resource: webAppsName, Name: "demo"}})
			spec.Disturb = &v1alpha1.TrialDisturbance{
				At:    v1alpha1.TrialPoint{Verb: "watch", Resource: webAppsName},
				Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{MissDeletion: &v1alpha1.Empty{}}},
			}
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "{}"}
		})
		// The subject ends when its watch expires.
		if !got.Reached || got.Verdict != v1alpha1.JudgementNotMet || got.Divergences[0].Path != v1alpha1.RuleCrashed {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("a second disturbance that never comes", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			disturbedBy(v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &v1alpha1.FaultAction{LoseResponse: &v1alpha1.Empty{}}})(spec)
			spec.Also = &v1alpha1.TrialAlso{At: statusWrite(2), Fault: fails}
		})
		if got.Reached || got.Verdict != v1alpha1.JudgementInvalid || !strings.Contains(got.Message, "request 2 that matches, and 1 came") {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("another operation meanwhile", func(t *testing.T) {
		t.Parallel()
		remove := v1alpha1.TrialOperation{Delete: &v1alpha1.TrialTarget{Resource: webAppsName, Name: "demo"}}
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			spec.Disturb = &v1alpha1.TrialDisturbance{At: statusWrite(1), Meanwhile: &remove}
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "{}"}
		})
		if got.Verdict != v1alpha1.JudgementMet || !got.Reached {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("made anew while its only worker waits for an answer", func(t *testing.T) {
		t.Parallel()
		object := webApp("", "demo", "a:1")
		object.SetFinalizers([]string{ofSubject})
		demo := &v1alpha1.TrialObject{Object: raw(t, object.Object)}
		before := carriedOut(t, func(spec *v1alpha1.TrialSpec) { spec.Operations[0].Create = demo })
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			spec.Operations[0].Create = demo
			spec.Disturb = &v1alpha1.TrialDisturbance{At: statusWrite(1), Meanwhile: &v1alpha1.TrialOperation{Recreate: demo}}
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: before.Outcome}
		})
		// The name is free only when the subject has the answer.
		if got.Verdict != v1alpha1.JudgementMet || !got.Reached {
			t.Errorf("before: %+v\nstatus: %+v", before, got)
		}
	})
	t.Run("another operation while the answer waits", func(t *testing.T) {
		t.Parallel()
		remove := v1alpha1.TrialOperation{Delete: &v1alpha1.TrialTarget{Resource: webAppsName, Name: "demo"}}
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			spec.Disturb = &v1alpha1.TrialDisturbance{At: statusWrite(1), Meanwhile: &remove, AnswerWaits: true}
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "{}"}
		})
		// The write was carried out before the deletion.
		if got.Verdict != v1alpha1.JudgementMet || !got.Reached || got.Writes != 1 {
			t.Errorf("status: %+v", got)
		}
	})
	child := func(spec *v1alpha1.TrialSpec, image string) v1alpha1.TrialPoint {
		spec.Operations[0].Create.Object = raw(t, webApp("", "demo", image).Object)
		spec.Resources = append(spec.Resources, "services")
		return v1alpha1.TrialPoint{Verb: "create", Resource: "services", Name: "demo", Occurrence: 1}
	}
	for image, want := range map[string]bool{"one-worker": false, "two-workers": true} {
		t.Run("a child is written at once by "+image, func(t *testing.T) {
			t.Parallel()
			got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
				spec.Disturb = &v1alpha1.TrialDisturbance{At: child(spec, image), Fault: &v1alpha1.FaultAction{DelayMs: ptr.To[int64](500)}}
				spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "{}", Masks: []v1alpha1.TrialMask{{Object: "*"}}}
			})
			harm := len(got.Divergences) == 1 && got.Divergences[0].Path == benchtrial.HarmTwice && got.Divergences[0].Object == "services demo"
			if !got.Reached || harm != want || (got.Verdict == v1alpha1.JudgementMet) == want {
				t.Errorf("status: %+v", got)
			}
		})
	}
	t.Run("a child is changed while the answer to its creation waits", func(t *testing.T) {
		t.Parallel()
		before := carriedOut(t, func(spec *v1alpha1.TrialSpec) { child(spec, "one-worker") })
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			drift := &v1alpha1.TrialDrift{TrialTarget: v1alpha1.TrialTarget{Resource: "services", Name: "demo"}, Fields: v1alpha1.DriftFirst}
			spec.Disturb = &v1alpha1.TrialDisturbance{At: child(spec, "one-worker"), Meanwhile: &v1alpha1.TrialOperation{Drift: drift}, AnswerWaits: true}
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: before.Outcome}
		})
		// The subject puts nothing back.
		if !got.Reached || len(got.Divergences) != 1 || got.Divergences[0].Object != "services demo" || got.Divergences[0].Path != "spec.selector.app" {
			t.Errorf("before: %+v\nstatus: %+v", before, got)
		}
	})
	t.Run("a new process creates what is there", func(t *testing.T) {
		t.Parallel()
		restarted := func(spec *v1alpha1.TrialSpec) {
			child(spec, "blind")
			spec.Operations = append(spec.Operations, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
		}
		harm := v1alpha1.TrialMask{Object: "services demo", Path: benchtrial.HarmBlind}
		before := carriedOut(t, restarted)
		if !slices.Equal(benchtrial.HarmsOf(before.Divergences), []v1alpha1.TrialMask{harm}) {
			t.Errorf("without anything to compare with: %+v", before)
		}
		for _, usual := range [][]v1alpha1.TrialMask{nil, {harm}} {
			got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
				restarted(spec)
				spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: before.Outcome, Harms: usual}
			})
			told := slices.Contains(benchtrial.HarmsOf(got.Divergences), harm)
			if told != (usual == nil) || (got.Verdict == v1alpha1.JudgementNotMet) != told {
				t.Errorf("usual harm: %v, status: %+v", usual, got)
			}
		}
	})
	t.Run("a restart at the end does not repair it", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			outcome := strings.Replace(undisturbed.Outcome, `"phase":"Running"`, `"phase":"Other"`, 1)
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: outcome}
			spec.RestartAtEnd = true
		})
		// The new process does nothing with a WebApp that is there.
		if got.Verdict != v1alpha1.JudgementMet || got.Repaired {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("deleted without its children", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			spec.Operations = append(spec.Operations, v1alpha1.TrialOperation{Orphan: &v1alpha1.TrialTarget{Resource: webAppsName, Name: "demo"}})
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "{}"}
		})
		if got.Verdict != v1alpha1.JudgementMet || strings.Contains(got.Outcome, webAppsName) {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("deleted after its children", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			spec.Operations = append(spec.Operations, v1alpha1.TrialOperation{Foreground: &v1alpha1.TrialTarget{Resource: webAppsName, Name: "demo"}})
			spec.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "{}"}
		})
		if got.Verdict != v1alpha1.JudgementMet || strings.Contains(got.Outcome, webAppsName) {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("marked by somebody else", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			mark := v1alpha1.TrialOperation{Mark: &v1alpha1.TrialTarget{Resource: webAppsName, Name: "demo"}}
			spec.Operations = append(spec.Operations, mark)
		})
		if got.Verdict != v1alpha1.JudgementMet || !strings.Contains(got.Outcome, `"finalizers":["reconform.dev/of-others"]`) {
			t.Errorf("status: %+v", got)
		}
	})
	t.Run("masked", func(t *testing.T) {
		t.Parallel()
		got := carriedOut(t, func(spec *v1alpha1.TrialSpec) {
			disturbedBy(v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &fails})(spec)
			spec.Undisturbed.Masks = []v1alpha1.TrialMask{{Object: webAppsName + " *", Path: "status"}}
		})
		if got.Verdict != v1alpha1.JudgementMet {
			t.Errorf("status: %+v", got)
		}
	})
}

// TestTrialThatCannotBe: an impossible Trial is refused when it is created, with the
// reason.
func TestTrialThatCannotBe(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.TrialSpec)
		want string
	}{
		"no-resource": {func(s *v1alpha1.TrialSpec) { s.Resources = []string{"nothings"} }, `spec.resources: finding resource "nothings"`},
		"cluster":     {func(s *v1alpha1.TrialSpec) { s.Resources = []string{"nodes"} }, "nodes is not namespaced"},
		"no-kind":     {func(s *v1alpha1.TrialSpec) { s.Operations[0].Create.Object = raw(t, map[string]any{}) }, "it needs apiVersion, kind and metadata.name"},
		"no-field":    {func(s *v1alpha1.TrialSpec) { s.Operations[0].Create.Object = wrong(t) }, `unknown field "spec.imag"`},
		"no-verb": {func(s *v1alpha1.TrialSpec) {
			s.Disturb = &v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: crashAtRead()}
			s.Disturb.At.Verb = "get"
		}, "act on writes: match.verbs"},
		"no-yaml":     {func(s *v1alpha1.TrialSpec) { s.Undisturbed = &v1alpha1.TrialUndisturbed{Objects: "deployments"} }, "it must be a map"},
		"two-watches": {func(s *v1alpha1.TrialSpec) { s.Disturb = frozen(2) }, "leave it out"},
		"also-lasts": {func(s *v1alpha1.TrialSpec) {
			s.Disturb = &v1alpha1.TrialDisturbance{At: statusWrite(1), Fault: &v1alpha1.FaultAction{LoseResponse: &v1alpha1.Empty{}}}
			s.Also = &v1alpha1.TrialAlso{At: v1alpha1.TrialPoint{Verb: "watch", Resource: webAppsName}, Fault: *frozen(0).Fault}
		}, "also: it must be a fault that hits one request"},
		"itself": {func(s *v1alpha1.TrialSpec) { s.Undisturbed = &v1alpha1.TrialUndisturbed{Trial: "itself"} }, "compared with itself"},
		"no-such-kind": {func(s *v1alpha1.TrialSpec) {
			s.Operations[0] = v1alpha1.TrialOperation{Delete: &v1alpha1.TrialTarget{Resource: "gone", Name: "x"}}
		}, "spec.operations[0]"},
	} {
		refused(t, trialOf(t, ns, name, tc.edit), tc.want)
	}
}

func wrong(t *testing.T) apiextensionsv1.JSON {
	t.Helper()
	object := webApp("", "demo", "a:1")
	object.Object["spec"] = map[string]any{"imag": "a:1"}
	return raw(t, object.Object)
}

func crashAtRead() *v1alpha1.FaultAction {
	return &v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashBefore}}
}

func frozen(occurrence int32) *v1alpha1.TrialDisturbance {
	return &v1alpha1.TrialDisturbance{
		At:    v1alpha1.TrialPoint{Verb: "watch", Resource: webAppsName, Occurrence: occurrence},
		Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}}},
	}
}
