package runner

import (
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
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
	plan, err := NewPlan(p, []catalogue.Requirement{{ID: "RB-002", Level: catalogue.Advice, WholeRun: true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Scenarios) > 0 || len(plan.Skipped) != 1 || plan.Skipped[0].Verdict != v1alpha1.Skipped || plan.Skipped[0].Reason == "" {
		t.Errorf("plan: %+v", plan)
	}
}

// TestAdvise: the advice about rights counts the requests of all scenarios, and changes
// no other results.
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
	r := &run{options: &Options{}, recorder: recorder}
	plan := &Plan{Scenarios: []Planned{{Requirement: catalogue.Requirement{ID: "RB-002", WholeRun: true}}}}
	results := []v1alpha1.Result{
		{ID: "SH-001", Verdict: v1alpha1.Passed},
		{ID: "RB-002", Verdict: v1alpha1.Passed},
		{ID: "RB-002", Verdict: v1alpha1.ResultInconclusive},
	}
	if err := r.advise(&Implementation{Profile: p, Plan: plan}, results); err != nil {
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

	// A shard knows a part of the requests only. What these do not use is not held
	// against anybody yet.
	whole := results[1].Advice
	results[1].Advice, results[1].Reason = nil, ""
	r.options.Shard = &v1alpha1.Shard{Index: 1, Count: 2}
	if err := r.advise(&Implementation{Profile: p, Plan: plan}, results); err != nil {
		t.Fatal(err)
	}
	if len(results[1].Advice) != 0 || r.rights == nil || len(r.rights.Unused) != len(whole) {
		t.Errorf("a shard says %v, and its report has %+v", results[1].Advice, r.rights)
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
