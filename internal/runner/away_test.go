package runner

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// TestSettleAway: the scenario of a requirement cannot be mapped. What other scenarios
// saw counts for it, in each round, and stays.
func TestSettleAway(t *testing.T) {
	rights := catalogue.Requirement{ID: "RB-001", Judges: []string{v1alpha1.RuleForbidden}}
	plan := &Plan{elsewhere: []catalogue.Requirement{rights}}
	plan.skip(rights, verdict.Unmapped+"no replicas")
	look := func(violations ...v1alpha1.Violation) []finding {
		f := finding{scenario: scenario{requirement: catalogue.Requirement{ID: "RC-007"}, implementation: &Implementation{Plan: plan}}}
		f.result = v1alpha1.Result{ID: "RC-007", Verdict: v1alpha1.Passed}
		if f.Violations = violations; len(violations) > 0 {
			f.result.Verdict, f.result.Reason = v1alpha1.Failed, "Forbidden: no right (#7)"
		}
		return []finding{f}
	}
	if adopted := settle(look()); len(adopted) > 0 || plan.Skipped[0].Verdict != v1alpha1.Skipped {
		t.Fatalf("with no violation: %v, %v", adopted, plan.Skipped)
	}
	refused := v1alpha1.Violation{Rule: v1alpha1.RuleForbidden, About: "list of endpoints", Message: "no right (#7)"}
	for round := range 2 {
		findings := look(refused)
		if adopted := settle(findings); len(adopted) != 1 || adopted[0].ID != "RB-001" || plan.Skipped[0].Verdict != v1alpha1.Failed {
			t.Errorf("round %d: adopted %v, %v", round, adopted, plan.Skipped)
		}
		if got := findings[0].result; got.Verdict != v1alpha1.Blocked || got.BlockedBy != "RB-001" {
			t.Errorf("round %d: RC-007 is %s by %q", round, got.Verdict, got.BlockedBy)
		}
	}
	if settle(look()); plan.Skipped[0].Verdict != v1alpha1.Failed {
		t.Errorf("after a round with no violation: %v", plan.Skipped)
	}
}
