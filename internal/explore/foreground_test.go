package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestForegroundPlans: the object and each child are deleted after their children, and the outcome of
// a usual deletion is expected. A child that a finalizer holds anyway is left out.
func TestForegroundPlans(t *testing.T) {
	own := v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}
	of := func(resource string) *v1alpha1.TrialTarget {
		return &v1alpha1.TrialTarget{Resource: resource, Name: "demo"}
	}
	deleted := func(plural, outcome string) *Recording {
		r := recordedWith("delete-child-"+plural, outcome, v1alpha1.TrialOperation{DeleteChild: of(plural)})
		r.About = plural
		return r
	}
	recorded := map[string]*Recording{
		"delete":                              recordedWith("delete", `{"secrets kept": {}}`, v1alpha1.TrialOperation{Delete: &own}),
		"delete-child-services":               deleted("services", `{"services demo": {}}`),
		"delete-child-persistentvolumeclaims": deleted("persistentvolumeclaims", `{"persistentvolumeclaims demo": {"metadata": {"deletionTimestamp": "<time>"}}}`),
		"drift-services":                      recordedWith("drift-services", "{}", v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: *of("services")}}),
		"create":                              recordedWith("create", "{}"),
	}
	var operations []Operation
	for _, name := range []string{"create", "delete", "drift-services", "delete-child-services", "delete-child-persistentvolumeclaims"} {
		operations = append(operations, recorded[name].Operation)
	}
	operations = append(operations, Operation{Name: "delete-child-secrets", Steps: recorded["delete-child-services"].Steps}) // not recorded
	type made struct {
		Operation, Kind, Objects string
		Steps                    []string
	}
	var got []made
	for _, p := range foregroundPlans(recorded, operations, own) {
		if p.Sort != inForeground || p.Disturb != nil {
			t.Errorf("plan: %s", p.InWords())
		}
		got = append(got, made{p.Operation.Name, p.Kind, p.Undisturbed.Objects, p.Operation.inWords()[1:]})
	}
	want := []made{
		{"delete", "all", `{"secrets kept": {}}`, []string{"delete, after its children, webapps demo"}},
		{"delete-child-services", "services", `{"services demo": {}}`, []string{"delete, after its children, services demo"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	plan := foregroundPlans(recorded, operations, own)[1]
	if got := inProduction(&finding{plan: plan, first: &tried{}}, v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: "services demo"}); got !=
		"After the deletion of a child by somebody else (services) in the foreground, so that its children go first, services demo is missing, and stays so." {
		t.Errorf("in words: %s", got)
	}
	if len(recorded["delete"].Steps) != 2 || recorded["delete"].Steps[1].Foreground != nil {
		t.Errorf("the recording was changed: %+v", recorded["delete"].Steps)
	}
}
