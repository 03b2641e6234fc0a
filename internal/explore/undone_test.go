package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/record/history"
)

// TestHeldByItsOwnFinalizer: a child that somebody deletes must come back, unless Kubernetes holds it.
func TestHeldByItsOwnFinalizer(t *testing.T) {
	ending := func(finalizers string) string {
		return `{"services demo": {"metadata": {"deletionTimestamp": "(set)", "finalizers": [` + finalizers + `]}}}`
	}
	target := v1alpha1.TrialTarget{Resource: "services", Name: "demo"}
	for name, tc := range map[string]struct {
		left string
		want int
	}{
		"it is there again":          {`{"services demo": {}}`, 1},
		"it lives with a finalizer":  {`{"services demo": {"metadata": {"finalizers": ["example.com/guard"]}}}`, 1},
		"the controller holds it":    {ending(`"example.com/guard"`), 1},
		"in words of the controller": {ending(`"guard"`), 1},
		"a Pod uses it":              {ending(`"kubernetes.io/pvc-protection"`), 0},
		"Kubernetes cleans up":       {ending(`"service.kubernetes.io/load-balancer-cleanup"`), 0},
		"in the foreground":          {ending(`"foregroundDeletion"`), 0},
		"both hold it":               {ending(`"example.com/guard", "kubernetes.io/pvc-protection"`), 0},
	} {
		create := recordedWith("create", `{"services demo": {}}`)
		deleted := recordedWith("delete-child-services", tc.left, v1alpha1.TrialOperation{DeleteChild: &target})
		plans := equalPlans(map[string]*Recording{"create": create, deleted.Name: deleted}, []Operation{deleted.Operation})
		if len(plans) != tc.want {
			t.Errorf("%s: %d plans, want %d", name, len(plans), tc.want)
		}
	}
}

// TestCreatesBlindly: that a new process tries to create what is there is told, if it is known that
// the controller looks first otherwise.
func TestCreatesBlindly(t *testing.T) {
	blind := v1alpha1.TrialMask{Object: "services demo", Path: trial.HarmBlind}
	for name, tc := range map[string]struct {
		create, edit, restart []v1alpha1.TrialMask
		idle                  bool // it does nothing after an edit
		want                  []v1alpha1.TrialMask
	}{
		"only a new process":         {restart: []v1alpha1.TrialMask{blind}},
		"always":                     {create: []v1alpha1.TrialMask{blind}, edit: []v1alpha1.TrialMask{blind}, restart: []v1alpha1.TrialMask{blind}, want: []v1alpha1.TrialMask{blind}},
		"after an edit, too":         {edit: []v1alpha1.TrialMask{blind}, restart: []v1alpha1.TrialMask{blind}, want: []v1alpha1.TrialMask{blind}},
		"nothing is known of edits":  {idle: true, restart: []v1alpha1.TrialMask{blind}, want: []v1alpha1.TrialMask{blind}},
		"a new process does nothing": {edit: []v1alpha1.TrialMask{blind}},
	} {
		create, edit, restart := recordedWith("create", "{}"), recordedWith("edit-image", "{}"), recordedWith("restart", "{}", v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
		create.Undisturbed.Harms, edit.Undisturbed.Harms, restart.Undisturbed.Harms = tc.create, tc.edit, tc.restart
		if !tc.idle {
			edit.Writes = []Write{{Verb: history.VerbUpdate, Resource: "services", Name: "demo"}}
		}
		plans := equalPlans(map[string]*Recording{"create": create, "edit-image": edit, "restart": restart}, []Operation{edit.Operation, restart.Operation})
		if len(plans) != 1 {
			t.Fatalf("%s: %d plans", name, len(plans))
		}
		if diff := cmp.Diff(tc.want, plans[0].Undisturbed.Harms, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: what is usual (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tc.restart, restart.Undisturbed.Harms); diff != "" {
			t.Errorf("%s: the recording was changed:\n%s", name, diff)
		}
	}
}
