package runner

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/catalogue"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/privilege"
	"reconform.dev/reconform/conformance/profile"
)

func TestWhole(t *testing.T) {
	slow := catalogue.Requirement{ID: "SC-001", Slow: true}
	one, two := catalogue.Requirement{ID: "SH-001"}, catalogue.Requirement{ID: "SH-002"}
	all := []catalogue.Requirement{one, two, slow}
	for name, tc := range map[string]struct {
		selected []catalogue.Requirement
		want     bool
	}{
		"everything":           {all, true},
		"all but what is slow": {all[:2], true},
		"a part":               {[]catalogue.Requirement{one, slow}, false},
	} {
		if got := whole(tc.selected, all); got != tc.want {
			t.Errorf("%s: whole = %t", name, got)
		}
	}
}

func TestRightsAreNotJudgedByAPart(t *testing.T) {
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(p, []catalogue.Requirement{{ID: rights, Level: catalogue.Advice}})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Scenarios) > 0 || len(plan.Skipped) != 1 || plan.Skipped[0].Verdict != v1alpha1.Skipped || plan.Skipped[0].Reason == "" {
		t.Errorf("plan: %+v", plan)
	}
}

func TestJudgeRights(t *testing.T) {
	broad, unused := []string{"Role/r: * of pods: a wildcard in its verbs"}, []string{"Role/r: never used: delete of pods"}
	for name, tc := range map[string]struct {
		findings privilege.Findings
		claims   bool
		want     v1alpha1.Result
	}{
		"nothing to say": {privilege.Findings{}, true, v1alpha1.Result{Verdict: v1alpha1.Passed}},
		"unused": {privilege.Findings{Unused: unused}, true, v1alpha1.Result{
			Verdict: v1alpha1.Passed, Advice: unused, Reason: "rules of its roles: 1 with rights to write that the whole run never used",
		}},
		"broad": {privilege.Findings{Broad: broad, Unused: unused}, false, v1alpha1.Result{
			Verdict: v1alpha1.Passed, Advice: append(broad, unused...),
			Reason: "rules of its roles: 1 too broad, 1 with rights to write that the whole run never used",
		}},
		"broad against its claim": {privilege.Findings{Broad: broad, Unused: unused}, true, v1alpha1.Result{
			Verdict: v1alpha1.Failed, Advice: append(broad, unused...),
			Reason:   "the profile claims least-privilege: " + broad[0],
			Evidence: &v1alpha1.Evidence{Hint: "look there"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &profile.Profile{}
			if tc.claims {
				p.Spec.Claims.Features = []v1alpha1.Feature{leastPrivilege}
			}
			got := v1alpha1.Result{ID: rights, Verdict: v1alpha1.Passed}
			plan := &Plan{Scenarios: []Planned{{Requirement: catalogue.Requirement{ID: rights, Hint: "look there"}}}}
			(&Implementation{Profile: p, Plan: plan}).judgeRights(&got, tc.findings)
			tc.want.ID = rights
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAdvise reads the requests of all scenarios, and leaves other results alone.
func TestAdvise(t *testing.T) {
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	recorder := history.New(nil, nil)
	for scenario, request := range map[string]history.Request{
		"a": {Method: "POST", Verb: "create", Group: "apps", Resource: "deployments", Name: "demo"},
		"b": {Method: "PATCH", Verb: "update", Group: "apps", Resource: "deployments", Name: "demo"},
	} {
		request.Scenario = scenario
		recorder.Begin(request).Finish(nil)
	}
	r := &run{recorder: recorder}
	results := []v1alpha1.Result{
		{ID: "SH-001", Verdict: v1alpha1.Passed},
		{ID: rights, Verdict: v1alpha1.Passed},
		{ID: rights, Verdict: v1alpha1.ResultInconclusive},
	}
	if err := r.advise(&Implementation{Profile: p}, results); err != nil {
		t.Fatal(err)
	}
	if len(results[1].Advice) == 0 || results[1].Verdict != v1alpha1.Passed {
		t.Errorf("result: %+v", results[1])
	}
	for _, advice := range results[1].Advice {
		t.Log(advice)
	}
	if results[0].Advice != nil || results[2].Advice != nil {
		t.Errorf("others were advised: %+v", results)
	}
}

func TestRatio(t *testing.T) {
	for name, tc := range map[string]struct {
		all, longest int
		rounds       int
		want         float64
	}{
		"one round": {21, 10, 1, 2.1}, "two": {42, 10, 2, 2.1}, "nothing ran": {1, 0, 1, 0},
	} {
		if got := ratio(seconds(tc.all), seconds(tc.longest), tc.rounds); got != tc.want {
			t.Errorf("%s: ratio = %g, want %g", name, got, tc.want)
		}
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
