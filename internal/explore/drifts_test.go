package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestDriftPlans: beside the one field of the operation, all fields are changed, and all
// labels, if a contract says which a controller puts back.
func TestDriftPlans(t *testing.T) {
	target := v1alpha1.TrialTarget{Resource: "services", Name: "demo"}
	recorded := map[string]*Recording{
		"create":         recordedWith("create", `{"created": {}}`),
		"drift-services": recordedWith("drift-services", `{}`, v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: target, Fields: v1alpha1.DriftFirst}}),
	}
	recorded["create"].Undisturbed.Masks = []v1alpha1.TrialMask{{Object: "a b"}}
	operations := []Operation{recorded["create"].Operation, recorded["drift-services"].Operation}
	var got []string
	for _, p := range driftPlans(recorded, operations, true) {
		got = append(got, p.Operation.Name+": "+p.Operation.inWords()[1])
		wrong := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: "services demo", Path: "spec.type", Expected: "1", Found: "2"}
		words := "After somebody else has changed all that the controller set in webapps, spec.type of services demo stays 2, where 1 is right."
		if got := inProduction(&finding{plan: p, first: &tried{}}, wrong); got != words {
			t.Errorf("in words: %s", got)
		}
		if p.Undisturbed.Objects != `{"created": {}}` || len(p.Undisturbed.Masks) != 1 {
			t.Errorf("expected: %+v", p.Undisturbed)
		}
	}
	want := []string{
		"drift-services: somebody else changes all fields that were set of services demo",
		"drift-services: somebody else changes the labels of services demo",
		`drift-services: patch services demo with {"spec": {"selector": {"reconform.dev/of-others": "true"}}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	if fields := operations[1].Steps[1].Drift.Fields; fields != v1alpha1.DriftFirst {
		t.Errorf("the operation itself changes %s", fields)
	}
	if without := driftPlans(recorded, operations, false); len(without) > 0 {
		t.Errorf("without a contract: %d plans", len(without))
	}
}

// TestMissedPlans: the creation is compared with a restart if its recordings differ from one
// another in what those of the restart agree on.
func TestMissedPlans(t *testing.T) {
	phase := v1alpha1.TrialMask{Object: "webapps demo", Path: "status.phase"}
	for name, tc := range map[string]struct {
		create, restart []v1alpha1.TrialMask
		want            int
	}{
		"all are the same":     {nil, nil, 0},
		"the creations differ": {[]v1alpha1.TrialMask{phase}, nil, 1},
		"both differ":          {[]v1alpha1.TrialMask{phase}, []v1alpha1.TrialMask{phase}, 0},
		"the restarts differ":  {nil, []v1alpha1.TrialMask{phase}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			create, restart := recordedWith("create", `{"a": {}}`), recordedWith("restart", `{"b": {}}`, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
			create.Undisturbed.Masks, restart.Undisturbed.Masks = tc.create, tc.restart
			plans := missedPlans(map[string]*Recording{"create": create, "restart": restart}, []Operation{create.Operation, restart.Operation})
			if len(plans) != tc.want {
				t.Fatalf("%d plans, want %d", len(plans), tc.want)
			}
			if tc.want == 0 {
				return
			}
			p := plans[0]
			if !p.RestartAtEnd || p.Undisturbed.Objects != `{"b": {}}` || len(p.Undisturbed.Masks) > 0 || len(p.Operation.Steps) != 1 {
				t.Errorf("plan: %+v", p)
			}
			wrong := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: phase.Object, Path: phase.Path, Expected: `"Running"`, Found: `"Deploying"`}
			words := `After an object is created, status.phase of webapps demo stays "Deploying" until the controller is restarted, where "Running" is right.`
			if got := inProduction(&finding{plan: p, first: &tried{}}, wrong); got != words {
				t.Errorf("in words: %s", got)
			}
		})
	}
}

// TestOrphanPlans: the children are left to live on, and what becomes of them is not compared.
func TestOrphanPlans(t *testing.T) {
	target := targetOf(t, "reference")
	own := target.own()
	recorded := map[string]*Recording{
		"create": recordedWith("create", `{"webapps.apps.kubedojo.io demo": {}, "services demo": {"spec": {}}, "jobs.batch demo-x7k2p": {}}`),
		"delete": recordedWith("delete", `{}`, v1alpha1.TrialOperation{Delete: &own}),
	}
	plans, err := orphanPlans(recorded, []Operation{recorded["create"].Operation, recorded["delete"].Operation}, target)
	if err != nil || len(plans) != 1 {
		t.Fatalf("%d plans, %v", len(plans), err)
	}
	want := v1alpha1.TrialUndisturbed{
		Objects: `{"jobs.batch demo-x7k2p":{},"services demo":{"spec":{}}}`,
		Masks:   []v1alpha1.TrialMask{{Object: "jobs.batch demo-?????"}, {Object: "services demo"}},
	}
	if diff := cmp.Diff(want, plans[0].Undisturbed); diff != "" {
		t.Errorf("expected (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"create an object", "delete, and leave the children of, webapps.apps.kubedojo.io demo"}, plans[0].Operation.inWords()); diff != "" {
		t.Errorf("in words (-want +got):\n%s", diff)
	}
	if recorded["delete"].Steps[1].Delete == nil {
		t.Error("the recorded operation was changed")
	}
	if none, err := orphanPlans(map[string]*Recording{"create": recorded["create"]}, nil, target); len(none) > 0 || err != nil {
		t.Errorf("without a deletion: %v, %v", none, err)
	}
}
