package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// named is a scenario of a requirement that is about these features, none of them claimed.
func named(id string, unclaimed ...v1alpha1.Feature) scenario {
	return scenario{implementation: &Implementation{}, requirement: catalogue.Requirement{ID: id, Name: id}, unclaimed: unclaimed}
}

func TestCutShort(t *testing.T) {
	plan := &Plan{order: map[string]int{"RB-002": 0, "RC-001": 1, "SH-001": 2}, Scenarios: []Planned{
		{Requirement: catalogue.Requirement{ID: "RB-002", WholeRun: true}},
	}}
	i := &Implementation{Plan: plan}
	r := &run{cut: interrupted}
	results := []v1alpha1.Result{
		r.unjudged(named("SH-001")).result, {ID: "RC-001", Verdict: v1alpha1.Passed}, {ID: "RB-002", Verdict: v1alpha1.Passed},
	}
	want := &v1alpha1.CutShort{Reason: interrupted, NotJudged: []string{"RB-002", "SH-001"}}
	if diff := cmp.Diff(want, r.cutShort(i, results)); diff != "" {
		t.Errorf("cutShort (-want +got):\n%s", diff)
	}
	if got := (&run{}).cutShort(i, results); got != nil {
		t.Errorf("a run to its end was cut short: %+v", got)
	}
}
