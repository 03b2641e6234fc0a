package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/record/history"
)

// TestTakenPlans: each child that the object owns, and whose name is known, has a plan, if
// there are bystanders of its kind.
func TestTakenPlans(t *testing.T) {
	const owned = `{"metadata": {"ownerReferences": [{"kind": "WebApp"}]}}`
	create := recordedWith("create", `{"webapps.apps.kubedojo.io demo": {}, "deployments.apps demo": `+owned+`, "services demo": `+owned+`,
		"configmaps shared": {}, "secrets demo-?????": `+owned+`, "certificates.cert-manager.io demo": `+owned+`}`)
	for _, name := range []string{"deployments.apps demo", "services demo", "configmaps shared", "secrets demo-?????", "certificates.cert-manager.io demo"} {
		resource, object, _ := strings.Cut(name, " ")
		create.Writes = append(create.Writes, Write{Verb: history.VerbCreate, Resource: resource, Name: object, Occurrence: 1})
	}
	create.Writes = append(create.Writes,
		Write{Verb: history.VerbUpdate, Resource: "services", Name: "demo", Occurrence: 1},
		Write{Verb: history.VerbUpdate, Resource: "webapps.apps.kubedojo.io", Subresource: "status", Name: "demo", Occurrence: 1})
	deleted := recordedWith("delete", `{}`, v1alpha1.TrialOperation{Delete: &v1alpha1.TrialTarget{Resource: "webapps.apps.kubedojo.io", Name: "demo"}})
	both := map[string]*Recording{"create": create, "delete": deleted}
	const made = "somebody else creates, under the name of a child, "
	for name, tc := range map[string]struct {
		recorded   map[string]*Recording
		operations []Operation
		want       [][]string
	}{
		"with the deletion": {both, []Operation{create.Operation, deleted.Operation}, [][]string{
			{made + "deployments.apps demo", "create an object", "delete webapps.apps.kubedojo.io demo"},
			{made + "services demo", "create an object", "delete webapps.apps.kubedojo.io demo"},
		}},
		"only the deletion is asked for": {both, []Operation{deleted.Operation}, [][]string{
			{made + "deployments.apps demo", "create an object", "delete webapps.apps.kubedojo.io demo"},
			{made + "services demo", "create an object", "delete webapps.apps.kubedojo.io demo"},
		}},
		"only the creation is asked for": {both, []Operation{create.Operation}, [][]string{
			{made + "deployments.apps demo", "create an object"}, {made + "services demo", "create an object"},
		}},
		"the deletion could not be recorded": {map[string]*Recording{"create": create}, []Operation{create.Operation, deleted.Operation}, [][]string{
			{made + "deployments.apps demo", "create an object"}, {made + "services demo", "create an object"},
		}},
		"neither is asked for": {both, []Operation{{Name: "restart"}}, nil},
		"nothing was recorded": {map[string]*Recording{}, []Operation{create.Operation}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			plans, err := takenPlans(tc.recorded, tc.operations)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]string
			for _, plan := range plans {
				got = append(got, plan.Operation.inWords())
				if plan.Sort != nameTaken || plan.Disturb != nil {
					t.Errorf("%s: sort %s, disturbed: %v", plan.InWords(), plan.Sort, plan.Disturb)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
		})
	}
	if create.Steps[0].Create == nil || len(deleted.Steps) != 2 {
		t.Error("the recorded operations were changed")
	}
}

// Of the outcome nothing is compared: only what is done to the object of somebody else counts.
func TestTakenComparesNothing(t *testing.T) {
	create := recordedWith("create", `{"deployments.apps demo": {"metadata": {"ownerReferences": [{"kind": "WebApp"}]}}}`)
	create.Writes = []Write{{Verb: history.VerbCreate, Resource: "deployments.apps", Name: "demo", Occurrence: 1}}
	other := v1alpha1.TrialMask{Object: "services demo", Path: "deletion"}
	create.Undisturbed.Harms = []v1alpha1.TrialMask{{Object: "deployments.apps", Path: v1alpha1.RuleForeignObject}, other}
	plans, err := takenPlans(map[string]*Recording{"create": create}, []Operation{create.Operation})
	if err != nil || len(plans) != 1 {
		t.Fatalf("%d plans, %v", len(plans), err)
	}
	if different := differing(t, plans[0], create, recordedWith("create", `{"webapps demo": {"status": "refused"}}`)); len(different) > 0 {
		t.Errorf("it differs in %v", different)
	}
	behind := v1alpha1.TrialMask{Object: "*", Path: trial.HarmOldGeneration}
	if diff := cmp.Diff([]v1alpha1.TrialMask{other, behind}, plans[0].Undisturbed.Harms); diff != "" {
		t.Errorf("usual harm (-want +got):\n%s", diff)
	}
}
