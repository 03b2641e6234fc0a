package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Each operation except the first is left out once, and the disturbance stays at the
// operation where it was.
func TestCandidates(t *testing.T) {
	edit := v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{TrialTarget: v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}}}
	restart := v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}}
	of := func(from int32, steps ...v1alpha1.TrialOperation) *Plan {
		return &Plan{
			Operation: Operation{Name: "long", Steps: append([]v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{}}}, steps...)},
			Disturb:   &v1alpha1.TrialDisturbance{From: from},
		}
	}
	type smaller struct {
		Without string
		Steps   int
		From    int32
	}
	undisturbed := of(0, edit)
	undisturbed.Disturb = nil
	for name, tc := range map[string]struct {
		plan *Plan
		want []smaller
	}{
		"one operation":        {of(0), nil},
		"no disturbance":       {undisturbed, nil},
		"at the last":          {of(0, edit, restart), []smaller{{"edit", 2, 0}, {"restart", 2, 0}}},
		"at the one that goes": {of(3, edit, restart), []smaller{{"edit", 2, 2}, {"restart", 2, 2}}},
		"at the one in it":     {of(2, edit, restart), []smaller{{"edit", 2, 2}, {"restart", 2, 2}}},
		"at the first":         {of(1, edit), []smaller{{"edit", 1, 1}}},
	} {
		before := len(tc.plan.Operation.Steps)
		var got []smaller
		for _, c := range candidates(tc.plan) {
			name := c.plan.Operation.Name
			got = append(got, smaller{name[len("long without "):], len(c.plan.Operation.Steps), c.plan.Disturb.From})
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(tc.plan.Operation.Steps) != before {
			t.Errorf("%s: the plan itself was changed", name)
		}
	}
}

// A smaller plan that was carried out already did not have the divergence.
func TestSmallerPlanThatWasTried(t *testing.T) {
	plans := somePlans()
	e := &Exploration{planned: plans[:2]}
	same := *plans[1]
	if !e.wasTried(&same) || e.wasTried(plans[2]) {
		t.Error("the wrong plans were tried")
	}
}

// The ID of a cause is made from its divergence, without the random parts of names.
func TestIDOfACause(t *testing.T) {
	id := func(d v1alpha1.Divergence) string { return (&cause{divergence: d}).id() }
	if a, b := id(missing("jobs.batch demo-x7k2p")), id(missing("jobs.batch demo-b4zq9")); a != b {
		t.Errorf("%s and %s", a, b)
	}
	a, b := id(field("services demo", "spec.type")), id(field("services demo", "spec.ports"))
	if a == b || len(a) != len("EX-01234567") {
		t.Errorf("%s and %s", a, b)
	}
	// Files of known failures have it: it must not change.
	if want := "EX-49614bb3"; id(field("webapps.apps.kubedojo.io demo", "status.conditions[Available]")) != want {
		t.Errorf("it was %s, and is %s", want, id(field("webapps.apps.kubedojo.io demo", "status.conditions[Available]")))
	}
}
