package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestWritesBystander(t *testing.T) {
	for name, tc := range map[string]struct {
		request history.Request
		want    bool
	}{
		"a deletion":         {history.Request{Verb: history.VerbDelete, Bystander: true, Effect: history.EffectEffective}, true},
		"refused":            {history.Request{Verb: history.VerbDelete, Bystander: true, Effect: history.EffectRefused}, false},
		"read":               {history.Request{Verb: history.VerbGet, Bystander: true, Effect: history.EffectEffective}, false},
		"its own child":      {history.Request{Verb: history.VerbDelete, Effect: history.EffectEffective}, false},
		"nothing is changed": {history.Request{Verb: history.VerbUpdate, Bystander: true, Effect: history.EffectNoop}, false},
	} {
		if got := writesBystander([]history.Request{tc.request}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A write of a bystander is told once, in the first operation that has it.
func TestBystanderPlans(t *testing.T) {
	foreign, other := v1alpha1.TrialMask{Object: "services x", Path: v1alpha1.RuleForeignObject}, v1alpha1.TrialMask{Object: "services y", Path: "deletion"}
	recorded := map[string]*Recording{}
	var operations []Operation
	for _, name := range []string{"create", "edit-a", "delete"} {
		o := Operation{Name: name}
		operations = append(operations, o)
		recorded[name] = &Recording{Operation: o, Bystander: name != "create", Undisturbed: v1alpha1.TrialUndisturbed{Harms: []v1alpha1.TrialMask{foreign, other}}}
	}
	plans := bystanderPlans(recorded, operations)
	if len(plans) != 1 || plans[0].Operation.Name != "edit-a" {
		t.Fatalf("plans: %+v", plans)
	}
	if diff := cmp.Diff([]v1alpha1.TrialMask{other}, plans[0].Undisturbed.Harms); diff != "" {
		t.Errorf("usual harm (-want +got):\n%s", diff)
	}
	if len(recorded["edit-a"].Undisturbed.Harms) != 2 {
		t.Error("the recording was changed")
	}
	recorded["edit-a"].Bystander, recorded["delete"].Bystander = false, false
	if plans := bystanderPlans(recorded, operations); len(plans) != 0 {
		t.Errorf("plans: %+v", plans)
	}
}
