package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

// TestDeletionsThatAreMissed: each watched kind of which an object is deleted has a
// plan, although the controller writes nothing.
func TestDeletionsThatAreMissed(t *testing.T) {
	watches := []string{"webapps", "deployments.apps", "services", "secrets"}
	operation := func(name, about, objects string, writes ...Write) *Recording {
		r := recordingOf(writes, watches...)
		r.Name, r.About, r.Undisturbed.Objects = name, about, objects
		return r
	}
	all := `{"webapps demo": {}, "deployments.apps demo": {}, "pods demo": {}, "services demo": {}}`
	recorded := map[string]*Recording{}
	var operations []Operation
	for _, r := range []*Recording{
		operation("create", "webapps", all, create("deployments.apps")),
		operation("edit-port", "webapps", all, Write{Verb: history.VerbDelete, Resource: "secrets", Name: "old"}),
		operation("edit-image", "webapps", all),
		operation("delete", "webapps", `{"services demo": {}}`),
		operation("recreate", "webapps", all),
		operation("drift-services", "services", all),
		operation("delete-child-services", "services", all),
	} {
		recorded[r.Name] = r
		operations = append(operations, r.Operation)
	}
	plans, err := gapPlans(recorded, operations)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, p := range plans {
		got[p.Operation.Name] = append(got[p.Operation.Name], p.Kind)
		if p.Sort != "missed-deletion" || p.Disturb.At.Resource != p.Kind || p.Disturb.Fault.Watch.MissDeletion == nil {
			t.Errorf("plan: %+v", p)
		}
	}
	want := map[string][]string{
		"edit-port": {"secrets"}, "delete": {"webapps", "deployments.apps"}, "recreate": {"webapps", "deployments.apps"},
		"delete-child-services": {"services"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds by operation (-want +got):\n%s", diff)
	}
}
