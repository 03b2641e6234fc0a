package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestClosedPlans: the watches of each resource are closed once, in an operation that has a
// step before it, after which the controller writes something.
func TestClosedPlans(t *testing.T) {
	recorded := map[string]*Recording{
		"create":        recordedWith("create", `{}`),
		"edit-nothing":  recordedWith("edit-nothing", `{}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
		"edit-port":     recordedWith("edit-port", `{}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
		"edit-image":    recordedWith("edit-image", `{}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
		"drift-service": recordedWith("drift-service", `{}`, v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{}}),
		"drift-secret":  recordedWith("drift-secret", `{}`, v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{}}),
	}
	var operations []Operation
	for _, name := range []string{"create", "edit-nothing", "edit-port", "edit-image", "drift-service", "drift-secret"} {
		r := recorded[name]
		r.Watches = []string{"services", "webapps"} // secrets are not watched
		if name != "edit-nothing" {
			r.Writes = []Write{{Verb: "update", Resource: "services", Name: "demo", Occurrence: 1}}
		}
		operations = append(operations, r.Operation)
	}
	operations[4].About, operations[5].About = "services", "secrets"
	type told struct {
		Operation, Resource string
		From                int32
	}
	var got []told
	for _, p := range closedPlans(recorded, operations) {
		got = append(got, told{p.Operation.Name, p.Disturb.At.Resource, p.Disturb.From})
		if close := p.Disturb.Fault.Watch.Close; close == nil || close.AfterMs < 1000 {
			t.Errorf("%s: %v", p.InWords(), p.Disturb.Fault)
		}
		if got, want := p.inProduction(), "the API server closes the watches of "+p.Kind+", as it does after some minutes"; got != want {
			t.Errorf("in words: %s", got)
		}
	}
	want := []told{{"edit-port", "webapps", 1}, {"drift-service", "services", 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}
