package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
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

// What no controller may do is told once, in the first operation that has it.
func TestOncePlans(t *testing.T) {
	foreign, other := v1alpha1.TrialMask{Object: "services x", Path: v1alpha1.RuleForeignObject}, v1alpha1.TrialMask{Object: "services y", Path: "deletion"}
	twice := v1alpha1.TrialMask{Object: "webapps demo", Path: trial.HarmTwoConditions}
	var operations []Operation
	for _, name := range []string{"create", "edit-a", "delete"} {
		operations = append(operations, Operation{Name: name})
	}
	for name, tc := range map[string]struct {
		bystander bool
		usual     []v1alpha1.TrialMask
		sort      string // none: no plan
		left      []v1alpha1.TrialMask
	}{
		"a bystander is written":       {bystander: true, usual: []v1alpha1.TrialMask{foreign, other}, sort: "bystanders", left: []v1alpha1.TrialMask{other}},
		"two conditions of one type":   {usual: []v1alpha1.TrialMask{other, twice}, sort: twoConditions, left: []v1alpha1.TrialMask{other}},
		"other harm is usual":          {usual: []v1alpha1.TrialMask{other}},
		"nothing happens on its own":   {},
		"it is known to be somebody's": {usual: []v1alpha1.TrialMask{foreign}}, // a refused write, for example
	} {
		recorded := map[string]*Recording{}
		for _, o := range operations {
			recorded[o.Name] = &Recording{Operation: o}
			if o.Name != "create" {
				recorded[o.Name].Bystander, recorded[o.Name].Undisturbed.Harms = tc.bystander, tc.usual
			}
		}
		plans := oncePlans(recorded, operations)
		if tc.sort == "" {
			if len(plans) > 0 {
				t.Errorf("%s: plans: %+v", name, plans)
			}
			continue
		}
		if len(plans) != 1 || plans[0].Operation.Name != "edit-a" || plans[0].Sort != tc.sort || !plans[0].Shown {
			t.Errorf("%s: plans: %+v", name, plans)
			continue
		}
		if diff := cmp.Diff(tc.left, plans[0].Undisturbed.Harms); diff != "" {
			t.Errorf("%s: usual harm (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tc.usual, recorded["edit-a"].Undisturbed.Harms); diff != "" {
			t.Errorf("%s: the recording was changed:\n%s", name, diff)
		}
	}
}
