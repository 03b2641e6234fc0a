package runner

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

// RC-005 found that spec.replicas of the Deployment does not follow. RT-004, which
// relies on RC-005, would wait for minutes for the same field.
func TestGiveUp(t *testing.T) {
	const namespace = "reconform-rt-004"
	reference, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	notFollowed := &chainsaw.Failure{
		Step: "Then the Deployment follows", Operation: "assert", Object: "apps/v1/Deployment @ reconform-rc-005/demo",
		Message: "* spec.replicas: Invalid value: 2: Expected value: 4",
	}
	notPrepared := &chainsaw.Failure{Step: "Given the WebApp demo", Operation: notFollowed.Operation, Object: notFollowed.Object, Message: notFollowed.Message}
	asserts := chainsaw.Event{
		Test: "rt-004", Step: "Then the controller tries until it succeeds", Operation: "assert",
		Object: "reconform.dev/v1alpha1/Observation @ " + namespace + "/updated",
	}
	prepares, other := asserts, asserts
	prepares.Step, other.Object = "When the Deployment has followed", "reconform.dev/v1alpha1/Observation @ "+namespace+"/another"
	replicas := objects.Waiting{
		NamespacedName: types.NamespacedName{Namespace: namespace, Name: "updated"}, Kind: "Observation", Resource: "deployments.apps", Of: "demo", Left: 4 * time.Minute,
		Message: `expected "new != null && new.spec.replicas == 4" within 5m0s, seen at the end: demo {"spec":{"replicas":2}}`,
	}
	short, ports := replicas, replicas
	short.Left = 5 * time.Second
	ports.Resource = "services"
	ports.Message = `expected "new != null && new.spec.ports.exists(p, p.port == 9090)" within 5m0s, seen at the end: demo {"spec":{"ports":[{"port":8080}]}}`
	picture, pictured := replicas, asserts
	picture.Kind, picture.Resource, picture.Of = "Snapshot", "", ""
	picture.Message = "expected: the same as before within 5m0s; found: deployments.apps demo: spec.replicas: 2, was 4"
	picture.Details = []string{"deployments.apps demo: spec.replicas: 2, was 4"}
	pictured.Object = "reconform.dev/v1alpha1/Snapshot @ " + namespace + "/updated"
	for name, tc := range map[string]struct {
		found     *chainsaw.Failure // by RC-005
		unclaimed []v1alpha1.Feature
		event     chainsaw.Event
		waiting   objects.Waiting
		waited    time.Duration
		want      string
	}{
		"the same":                {notFollowed, nil, asserts, replicas, 40 * time.Second, "RC-005"},
		"the same, in a picture":  {notFollowed, nil, pictured, picture, 40 * time.Second, "RC-005"},
		"nothing failed":          {nil, nil, asserts, replicas, 40 * time.Second, ""},
		"it has only begun":       {notFollowed, nil, asserts, replicas, 10 * time.Second, ""},
		"it ends soon":            {notFollowed, nil, asserts, short, 40 * time.Second, ""},
		"something else":          {notFollowed, nil, asserts, ports, 40 * time.Second, ""},
		"a step that prepares":    {notFollowed, nil, prepares, replicas, 40 * time.Second, "RC-005"},
		"it waits for another":    {notFollowed, nil, other, replicas, 40 * time.Second, ""},
		"the other did not judge": {notPrepared, nil, asserts, replicas, 40 * time.Second, ""},
		"the other means nothing": {notFollowed, []v1alpha1.Feature{"events"}, asserts, replicas, 40 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			screen := report.NewConsole(io.Discard)
			defer screen.Close()
			r := &run{options: &Options{ReportDir: t.TempDir(), TimeoutScale: 1, Profile: reference, Console: screen}, recorder: history.New(nil, nil)}
			i := &Implementation{Profile: reference, contract: invariant.ContractOf(reference)}
			relied := &scenario{
				implementation: i, requirement: catalogue.Requirement{ID: "RC-005", Name: "rc-005"}, namespace: "reconform-rc-005", unclaimed: tc.unclaimed,
			}
			relying := &scenario{implementation: i, requirement: catalogue.Requirement{ID: "RT-004", Name: "rt-004", ReliesOn: []string{"RC-005"}}, namespace: namespace}
			waits := r.newWaits()
			r.waits = waits
			waits.follow(relied, chainsaw.Event{Test: "rc-005", Step: "Given the controller", Operation: "create"}, start)
			waits.follow(relying, tc.event, start)
			waits.follow(relied, chainsaw.Event{Kind: chainsaw.Ended, Test: "rc-005", Failure: tc.found}, start.Add(5*time.Second))
			r.judgeEarly(relied, start, start.Add(5*time.Second), tc.found)
			by, waited := waits.explained(tc.waiting, start.Add(tc.waited))
			if by != tc.want || by != "" && waited != tc.waited {
				t.Fatalf("explained by %q, after %s; want %q", by, waited, tc.want)
			}
			if got := waits.gaveUp(*relying); got != (tc.want != "") {
				t.Errorf("its wait was ended: %t", got)
			}
			if again, _ := waits.explained(tc.waiting, start.Add(tc.waited)); again != "" {
				t.Error("it is ended twice")
			}
		})
	}
}

// A scenario whose wait was given up must be blocked in the end. If it is not, it runs
// again.
func TestWaitAgain(t *testing.T) {
	plan := planOf(t, profile.Default)
	i := &Implementation{Plan: plan}
	found := func(id string, verdictOf v1alpha1.ResultVerdict, gaveUp bool) finding {
		n := slices.IndexFunc(plan.Scenarios, func(p Planned) bool { return p.Requirement.ID == id })
		planned := plan.Scenarios[n]
		f := finding{
			scenario: scenario{implementation: i, requirement: planned.Requirement, test: planned.Test, namespace: i.namespace(planned.Requirement, 1, 1)},
			result:   newResult(planned.Requirement), gaveUp: gaveUp,
		}
		if f.result.Verdict = verdictOf; verdictOf == v1alpha1.Failed {
			f.Failure, f.result.Reason = "at a step", "at a step"
			f.Symptoms = []v1alpha1.Symptom{{Resource: "deployments.apps", Role: v1alpha1.RoleChild, State: v1alpha1.NotWritten, Path: "spec.replicas"}}
		}
		return f
	}
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	broken := []v1alpha1.Violation{{Rule: "Forbidden"}}
	for name, tc := range map[string]struct {
		relied     v1alpha1.ResultVerdict
		gaveUp     bool
		lacks      schema.GroupResource // for whose lack it was given up
		violations []v1alpha1.Violation
		repeated   []string
		want       v1alpha1.ResultVerdict // of LT-006
	}{
		"still explained":            {relied: v1alpha1.Failed, gaveUp: true, want: v1alpha1.Failed},
		"it passed a second look":    {relied: v1alpha1.Passed, gaveUp: true, repeated: []string{"LT-006"}, want: v1alpha1.Passed},
		"it was waited for":          {relied: v1alpha1.Passed, want: v1alpha1.Failed},
		"no scenario has seen any":   {relied: v1alpha1.Passed, gaveUp: true, lacks: deployments, want: v1alpha1.ResultInconclusive},
		"and it broke an invariant":  {relied: v1alpha1.Passed, gaveUp: true, lacks: deployments, violations: broken, want: v1alpha1.Failed},
		"none, and another explains": {relied: v1alpha1.Failed, gaveUp: true, lacks: deployments, want: v1alpha1.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			screen := report.NewConsole(io.Discard)
			defer screen.Close()
			r := &run{options: &Options{TimeoutScale: 1, Console: screen}}
			findings := []finding{found("RC-005", tc.relied, false), found("LT-006", v1alpha1.Failed, tc.gaveUp)}
			findings[1].lacks, findings[1].Violations = tc.lacks, tc.violations
			var repeated []string
			err := r.waitAgain(t.Context(), t.TempDir(), findings, 12, func(_ context.Context, _ string, scenarios []scenario, _ int) ([]finding, error) {
				repeated = append(repeated, idsOf(scenarios)...)
				if r.firstLook {
					t.Error("the whole look may be ended, too")
				}
				f := found("LT-006", v1alpha1.Passed, false)
				return []finding{f}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.repeated, repeated); diff != "" {
				t.Errorf("repeated (-want +got):\n%s", diff)
			}
			if got := findings[1].result.Verdict; got != tc.want {
				t.Errorf("LT-006 is %s, want %s", got, tc.want)
			}
		})
	}
}

// A failure gets no second look if another failure explains it, and the busy machine
// does not excuse that one.
func TestUnblocked(t *testing.T) {
	i := &Implementation{Plan: &Plan{order: map[string]int{"SH-001": 0, "RT-016": 1, "RT-003": 2}}}
	symptoms := []v1alpha1.Symptom{{Resource: "deployments.apps", Role: v1alpha1.RoleChild, State: v1alpha1.NotMadeAgain}}
	findings := func(firm bool) []finding {
		var all []finding
		for _, r := range []catalogue.Requirement{
			{ID: "SH-001", HomeOf: []catalogue.Home{{State: v1alpha1.NotMadeAgain}}}, {ID: "RT-016"}, {ID: "RT-003"},
		} {
			f := finding{
				scenario: scenario{implementation: i, requirement: r}, result: v1alpha1.Result{ID: r.ID, Verdict: v1alpha1.Failed, Reason: "at a step"},
				Finding: verdict.Finding{Failure: "at a step", Symptoms: symptoms, Again: true},
			}
			if r.ID == "RT-003" {
				f.Symptoms = []v1alpha1.Symptom{{Resource: "services", Role: v1alpha1.RoleChild, State: v1alpha1.NotWritten, Path: "spec.ports"}}
			}
			all = append(all, f)
		}
		all[0].Again = !firm
		return all
	}
	if got := unblocked(findings(true), []int{1, 2}); !slices.Equal(got, []int{2}) {
		t.Errorf("after a failure that is firm: %v", got)
	}
	if got := unblocked(findings(false), []int{0, 1, 2}); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("after a failure that may be excused: %v", got)
	}
}
