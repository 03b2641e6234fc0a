package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestToldPlans: somebody else edits the status before the first edit, if the profile says
// what a field of it means.
func TestToldPlans(t *testing.T) {
	recorded := map[string]*Recording{
		"create":       recordedWith("create", `{}`),
		"edit-nothing": recordedWith("edit-nothing", `{}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
		"edit-image":   recordedWith("edit-image", `{"edited": {}}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
		"edit-port":    recordedWith("edit-port", `{}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
	}
	var operations []Operation
	for _, name := range []string{"create", "edit-nothing", "edit-image", "edit-port"} {
		r := recorded[name]
		r.About = "webapps.apps.kubedojo.io"
		if name != "edit-nothing" {
			r.Writes = []Write{{Verb: "update", Resource: "deployments.apps", Name: "demo", Occurrence: 1}}
		}
		operations = append(operations, r.Operation)
	}
	for name, want := range map[string][]string{
		"reference":        {`edit-image: patch webapps.apps.kubedojo.io/status demo with {"status":{"serviceURL":"http://nowhere.invalid"}}`},
		"create-or-update": {`edit-image: patch webapps.apps.kubedojo.io/status demo with {"status":{"readyReplicas":42}}`}, // no URL
		"backup-any":       nil,                                                                                             // no contract
	} {
		plans, err := toldPlans(recorded, operations, targetOf(t, name))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, plan := range plans {
			wrong := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: "webapps demo", Path: "status.readyReplicas", Expected: "2", Found: "42"}
			words := "After somebody else has edited its status, and an edit of image, status.readyReplicas of webapps demo stays 42, where 2 is right."
			if got := inProduction(&finding{plan: plan, first: &tried{}}, wrong); got != words {
				t.Errorf("in words: %s", got)
			}
			got = append(got, plan.Operation.Name+": "+plan.Operation.inWords()[1])
			if plan.Disturb != nil || len(plan.Operation.Steps) != 3 || plan.Undisturbed.Objects != `{"edited": {}}` {
				t.Errorf("%s: disturbed by %v, %d steps, expected %s", plan.InWords(), plan.Disturb, len(plan.Operation.Steps), plan.Undisturbed.Objects)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
