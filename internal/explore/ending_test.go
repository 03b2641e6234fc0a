package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestEndingPlans: a child of an object that is being deleted is deleted. Only that it is made again
// is a difference.
func TestEndingPlans(t *testing.T) {
	own := v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}
	const held = `"webapps demo": {"kind": "WebApp", "metadata": {"name": "demo", "finalizers": ["reconform.dev/of-others"], "deletionTimestamp": "<time>"}}`
	const owned = `{"metadata": {"ownerReferences": [{"kind": "WebApp", "name": "demo"}]}}`
	all := `{` + held + `, "services demo": ` + owned + `, "services demo-x7k2p": ` + owned + `, "secrets shared": {}}`
	for name, tc := range map[string]struct {
		outcome string
		found   string // when somebody has deleted the Service
		plans   int
		differs []string // in the plan of the Service
	}{
		"it stays away":             {all, `{` + held + `, "services demo-b4zq9": ` + owned + `}`, 2, nil},
		"it is made again":          {all, `{` + held + `, "services demo": ` + owned + `}`, 2, []string{"services demo "}},
		"others change":             {all, `{"webapps demo": {"status": {"ready": 0}}, "secrets shared": {"a": 1}}`, 2, nil},
		"another one of its kind":   {all, `{` + held + `, "services demo-2": ` + owned + `}`, 2, []string{"services demo-2 "}},
		"a cleanup is not over":     {`{"webapps demo": {"kind": "WebApp", "metadata": {"name": "demo", "finalizers": ["mine", "reconform.dev/of-others"]}}, "services demo": ` + owned + `}`, "", 0, nil},
		"nothing is left":           {`{` + held + `}`, "", 0, nil},
		"what is left has no owner": {`{` + held + `, "services demo": {}}`, "", 0, nil},
		"it belongs to a child":     {`{` + held + `, "replicasets.apps demo": {"metadata": {"ownerReferences": [{"kind": "Deployment", "name": "demo"}]}}}`, "", 0, nil},
		"a claim that a Pod uses":   {`{` + held + `, "persistentvolumeclaims demo": ` + owned + `}`, "", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			deletion := recordedWith("delete", "{}", v1alpha1.TrialOperation{Delete: &own})
			recorded := map[string]*Recording{"create": recordedWith("create", "{}"), "delete": deletion}
			marks := markings([]Operation{deletion.Operation}, recorded)
			if len(marks) != 1 || marks[0].Name != "delete then mark-webapps-demo" || marks[0].Steps[1].Mark == nil || marks[0].Steps[2].Delete == nil {
				t.Fatalf("what is recorded: %+v", marks)
			}
			recorded[marks[0].Name] = &Recording{Operation: marks[0], Undisturbed: v1alpha1.TrialUndisturbed{Objects: tc.outcome}}
			plans, err := endingPlans(recorded, []Operation{deletion.Operation}, own)
			if err != nil || len(plans) != tc.plans {
				t.Fatalf("%d plans, want %d; %v", len(plans), tc.plans, err)
			}
			if tc.plans == 0 {
				return
			}
			if last := plans[0].Operation.Steps[3].DeleteChild; last == nil || last.Resource != "services" || last.Name != "demo" || plans[0].Sort != endingChild {
				t.Errorf("plan: %s", plans[0].InWords())
			}
			if diff := cmp.Diff(tc.differs, differing(t, plans[0], deletion, recordedWith("", tc.found))); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
	if none, err := endingPlans(map[string]*Recording{}, []Operation{{Name: "create"}}, own); len(none) > 0 || err != nil {
		t.Errorf("without a deletion: %v, %v", none, err)
	}
}

// TestEndingPlansOfNamesThatLookMadeUp: a child whose name ends like one that is made up hides no other
// child of such a name.
func TestEndingPlansOfNamesThatLookMadeUp(t *testing.T) {
	own := v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}
	const held = `"webapps demo": {"kind": "WebApp", "metadata": {"name": "demo", "finalizers": ["reconform.dev/of-others"], "deletionTimestamp": "<time>"}}`
	const owned = `{"metadata": {"ownerReferences": [{"kind": "WebApp", "name": "demo"}]}}`
	deletion := recordedWith("delete", "{}", v1alpha1.TrialOperation{Delete: &own})
	recorded := map[string]*Recording{"create": recordedWith("create", "{}"), "delete": deletion}
	mark := markings([]Operation{deletion.Operation}, recorded)[0]
	all := `{` + held + `, "services demo-https": ` + owned + `, "services demo-grpcs": ` + owned + `}`
	recorded[mark.Name] = &Recording{Operation: mark, Undisturbed: v1alpha1.TrialUndisturbed{Objects: all}}
	plans, err := endingPlans(recorded, []Operation{deletion.Operation}, own)
	if err != nil || len(plans) != 2 {
		t.Fatalf("%d plans, %v", len(plans), err)
	}
	for _, plan := range plans {
		gone := "services " + plan.Operation.Steps[3].DeleteChild.Name
		if diff := cmp.Diff([]string{gone + " "}, differing(t, plan, deletion, recordedWith("", all))); diff != "" {
			t.Errorf("%s is made again (-want +got):\n%s", gone, diff)
		}
	}
}
