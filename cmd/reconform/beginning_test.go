package main

import (
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestBeginning: the time of an earlier run is only said if that was the same.
func TestBeginning(t *testing.T) {
	of := func(id string, unclaimed ...v1alpha1.Feature) runner.Planned {
		return runner.Planned{Requirement: catalogue.Requirement{ID: id}, Unclaimed: unclaimed}
	}
	plan := &runner.Plan{
		Scenarios: []runner.Planned{of("A"), of("B"), of("C", "service")},
		Skipped:   []v1alpha1.Result{{ID: "D"}},
	}
	earlier := func(change func(*v1alpha1.ConformanceReport), ids ...string) *v1alpha1.ConformanceReport {
		r := &v1alpha1.ConformanceReport{ProfileDigest: "sha256:1"}
		r.Durations.Total.Duration = 3*time.Minute + 12*time.Second
		for _, id := range ids {
			r.Results = append(r.Results, v1alpha1.Result{ID: id})
		}
		if change != nil {
			change(r)
		}
		return r
	}
	const count = "to be judged: 2 requirements; 1 more if the controller does what they are about; skipped: 1"
	for name, tc := range map[string]struct {
		earlier *v1alpha1.ConformanceReport
		want    string
	}{
		"no earlier run":  {nil, count},
		"the same":        {earlier(nil, "A", "B", "C", "D"), count + "; the run before took 3m12s for the same"},
		"more":            {earlier(nil, "A", "B", "C", "D", "E"), count},
		"less":            {earlier(nil, "A", "C", "D"), count},
		"another profile": {earlier(func(r *v1alpha1.ConformanceReport) { r.ProfileDigest = "sha256:2" }, "A", "B", "C", "D"), count},
		"cut short":       {earlier(func(r *v1alpha1.ConformanceReport) { r.CutShort = &v1alpha1.CutShort{} }, "A", "B", "C", "D"), count},
	} {
		t.Run(name, func(t *testing.T) {
			if got := beginning(plan, tc.earlier, "sha256:1"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
