package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/record/history"
)

// TestShownComesFirst: a plan without a disturbance comes first if a recording of the same
// steps has another outcome than it expects.
func TestShownComesFirst(t *testing.T) {
	const right, wrong = `{"services demo": {"spec": "a"}}`, `{"services demo": {"spec": "b"}}`
	restart := v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}}
	expects := func(r *Recording, sort string, change func(*Plan)) *Plan {
		plan := r.plan(sort, "services", "afterwards", "all must be as after the creation")
		plan.Undisturbed.Objects = right
		change(plan)
		return plan
	}
	nothing := func(*Plan) {}
	recorded := map[string]*Recording{
		"create": recordedWith("create", right), "restart": recordedWith("restart", right, restart),
		"recreate": recordedWith("recreate", wrong, v1alpha1.TrialOperation{Recreate: &v1alpha1.TrialObject{}}),
	}
	harm := v1alpha1.TrialMask{Object: "services demo", Path: "deletion"}
	recorded["restart"].Undisturbed.Harms = []v1alpha1.TrialMask{harm}
	recorded["failover"] = recordedWith("failover", right, v1alpha1.TrialOperation{Failover: &v1alpha1.Empty{}})
	recorded["failover"].Writes = []Write{{Verb: history.VerbUpdate, Resource: "services", Name: "demo"}}
	recorded["restart-b"] = recordedWith("restart-b", right, restart)
	recorded["restart-b"].Writes = []Write{{Verb: history.VerbUpdate, Resource: "webapps", Subresource: "status", Name: "demo"}}
	for name, tc := range map[string]struct {
		plan *Plan
		want bool
	}{
		"as expected": {expects(recorded["restart"], "undone", func(p *Plan) { p.Undisturbed.Harms = []v1alpha1.TrialMask{harm} }), false},
		"it did harm": {expects(recorded["restart"], "undone", func(p *Plan) { p.Undisturbed.Harms = nil }), true},
		"it differs":  {expects(recorded["recreate"], "undone", nothing), true},
		"what differs is masked": {expects(recorded["recreate"], "undone", func(p *Plan) {
			p.Undisturbed.Masks = []v1alpha1.TrialMask{{Object: "services demo", Path: "spec"}}
		}), false},
		"a new process writes": {expects(recorded["failover"], "undone", nothing), true},
		"it tells a status":    {expects(recorded["restart-b"], "undone", nothing), false},
		"it is disturbed":      {expects(recorded["recreate"], "500", func(p *Plan) { p.Disturb = &v1alpha1.TrialDisturbance{} }), false},
		"other steps":          {expects(recorded["recreate"], "undone", func(p *Plan) { p.Operation.Steps = slices.Clone(p.Operation.Steps[:1]) }), false},
		"it ends anew":         {expects(recorded["recreate"], "as-restarted", func(p *Plan) { p.RestartAtEnd = true }), true},
		"never recorded":       {expects(recordedWith("drift", wrong), "undone", nothing), false},
		"known by a write":     {expects(recorded["restart"], "bystanders", func(p *Plan) { p.Shown = true }), true},
	} {
		t.Run(name, func(t *testing.T) {
			plans := []*Plan{{Operation: recorded["create"].Operation, Sort: "500", Disturb: &v1alpha1.TrialDisturbance{}}, tc.plan}
			if err := noteShown(plans, recorded); err != nil {
				t.Fatal(err)
			}
			if tc.plan.Shown != tc.want {
				t.Errorf("shown: %t, want %t", tc.plan.Shown, tc.want)
			}
			for seed := range int64(5) {
				if ordered := order(plans, seed); len(ordered) != 2 || tc.want && ordered[0] != tc.plan {
					t.Errorf("seed %d: %s", seed, cmp.Diff(sortsOf(plans), sortsOf(ordered)))
				}
			}
		})
	}
}

// TestUndoneGenerations: after an operation that must change nothing, a status that names a wrong
// generation is told, unless it does so after the creation, too. Other harm that the operation does
// undisturbed is not told.
func TestUndoneGenerations(t *testing.T) {
	no, old, other := v1alpha1.TrialMask{Object: "webapps demo", Path: trial.HarmNoGeneration}, v1alpha1.TrialMask{Object: "webapps demo", Path: trial.HarmOldGeneration}, v1alpha1.TrialMask{Object: "webapps demo", Path: "x"}
	create, drift := recordedWith("create", "{}"), recordedWith("drift-services", "{}", v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{}})
	create.Undisturbed.Harms = []v1alpha1.TrialMask{old}
	drift.Undisturbed.Harms = []v1alpha1.TrialMask{no, old, other}
	plans := equalPlans(map[string]*Recording{"create": create, "drift-services": drift}, []Operation{drift.Operation})
	if len(plans) != 1 {
		t.Fatalf("%d plans", len(plans))
	}
	if diff := cmp.Diff([]v1alpha1.TrialMask{old, other}, plans[0].Undisturbed.Harms); diff != "" {
		t.Errorf("what is usual (-want +got):\n%s", diff)
	}
	if len(drift.Undisturbed.Harms) != 3 {
		t.Errorf("the recording was changed: %v", drift.Undisturbed.Harms)
	}
}
