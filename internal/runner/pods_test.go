package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

func TestWithoutPods(t *testing.T) {
	needing := func(id string) catalogue.Requirement { return catalogue.Requirement{ID: id, NeedsPods: true} }
	plan := &Plan{Scenarios: []Planned{
		{Requirement: needing("RC-004")},
		{Requirement: catalogue.Requirement{ID: "RC-001"}},
		{Requirement: needing("ST-005"), Unclaimed: []v1alpha1.Feature{"conditions"}},
	}}
	plan.withoutPods("no node is ready")
	var got []string
	for _, result := range plan.Skipped {
		got = append(got, result.ID+" "+string(result.Verdict)+": "+result.Reason)
	}
	want := []string{"RC-004 Inconclusive: no node is ready", "ST-005 Skipped: feature conditions is not claimed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if len(plan.Scenarios) != 1 || plan.Scenarios[0].Requirement.ID != "RC-001" {
		t.Errorf("left: %+v", plan.Scenarios)
	}
}
