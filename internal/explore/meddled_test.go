package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestMeddledPlans: somebody else changes a child while the controller updates it, or when it has
// created it, if the controller puts that back undisturbed.
func TestMeddledPlans(t *testing.T) {
	const (
		webApps, right, wrong = "webapps.apps.kubedojo.io", `{"deployments.apps demo": {"replicas": 1}}`, `{"deployments.apps demo": {"replicas": 2}}`
	)
	update := func(resource, subresource string) Write {
		return Write{Verb: history.VerbUpdate, Resource: resource, Subresource: subresource, Name: "demo", Occurrence: 2, Effective: 1}
	}
	target := targetOf(t, "reference")
	fields := map[string]string{"create": "a field", "edit-image": "all fields", "drift-deployments": "all fields"} // with a contract
	for name, tc := range map[string]struct {
		operation string
		write     Write
		after     string // the outcome when a field was changed after the operation
		masked    bool
		want      []string
	}{
		"an update":                  {"edit-image", update("deployments.apps", ""), right, false, []string{"while it waits for the answer to update deployments.apps demo (number 2)"}},
		"a creation":                 {"create", create("deployments.apps"), right, false, []string{"while the answer to create deployments.apps demo is on its way"}},
		"what heals another change":  {"drift-deployments", update("deployments.apps", ""), right, false, []string{"while it waits for the answer to update deployments.apps demo (number 2)"}},
		"it does not put it back":    {"edit-image", update("deployments.apps", ""), wrong, false, nil},
		"that differs each time":     {"edit-image", update("deployments.apps", ""), wrong, true, []string{"while it waits for the answer to update deployments.apps demo (number 2)"}},
		"its own object":             {"edit-image", update(webApps, ""), right, false, nil},
		"the status of a child":      {"edit-image", update("deployments.apps", "status"), right, false, nil},
		"a name that is made up":     {"create", Write{Verb: history.VerbCreate, Resource: "jobs.batch", Name: "demo-?????", Occurrence: 1, Effective: 1}, right, false, nil},
		"a deletion":                 {"edit-image", Write{Verb: history.VerbDelete, Resource: "deployments.apps", Name: "demo", Occurrence: 1, Effective: 1}, right, false, nil},
		"it was not recorded":        {"edit-image", update("deployments.apps", ""), "", false, nil},
		"a deletion is no such time": {"delete", update("deployments.apps", ""), right, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := recordingOf([]Write{tc.write}, webApps)
			r.Name, r.Undisturbed.Objects = tc.operation, right
			if r.sort() == "drift" {
				r.About = tc.write.Resource
			}
			recorded := map[string]*Recording{r.Name: r}
			for _, both := range target.meddlings([]Operation{r.Operation}, recorded) {
				if tc.after == "" {
					continue
				}
				recorded[both.Name] = recordedWith(both.Name, tc.after, both.Steps...)
				if tc.masked {
					recorded[both.Name].Undisturbed.Masks = []v1alpha1.TrialMask{{Object: "deployments.apps demo", Path: "replicas"}}
				}
			}
			plans, err := target.meddledPlans(recorded, r)
			if err != nil {
				t.Fatal(err)
			}
			var points []string
			for _, p := range plans {
				points = append(points, p.Point)
				drift := p.Disturb.Meanwhile.Drift
				if p.Sort != "meanwhile-drift" || drift == nil || drift.Name != "demo" || !strings.Contains(p.inProduction(), "somebody else changes "+fields[tc.operation]+" that it set") {
					t.Errorf("%+v", p)
				}
				if creation := tc.write.Verb == history.VerbCreate; p.Disturb.AnswerWaits != creation {
					t.Errorf("the answer waits: %t", p.Disturb.AnswerWaits)
				}
			}
			if diff := cmp.Diff(tc.want, points); diff != "" {
				t.Errorf("points (-want +got):\n%s", diff)
			}
		})
	}
	// Only the first edit after which it writes some child is recorded with a change after it.
	recorded := map[string]*Recording{}
	var operations []Operation
	for name, w := range map[string]Write{"create": create("services"), "edit-image": update(webApps, "status"), "edit-port": update("services", ""), "edit-env": update("services", "")} {
		r := recordingOf([]Write{w, w}, webApps)
		if name == "edit-env" {
			r.Writes = append(r.Writes, update("deployments.apps", ""))
		}
		r.Name = name
		recorded[name] = r
	}
	for _, name := range []string{"create", "edit-image", "edit-port", "edit-env"} {
		operations = append(operations, recorded[name].Operation)
	}
	var names []string
	for _, o := range targetOf(t, "backup-any").meddlings(operations, recorded) {
		names = append(names, o.Name)
		if fields := o.Steps[len(o.Steps)-1].Drift.Fields; fields != v1alpha1.DriftFirst {
			t.Errorf("%s, without a contract: %s fields are changed", o.Name, fields)
		}
		if !(Options{Ways: []string{"meanwhile-drift"}}).combines(o) || (Options{Ways: []string{"meanwhile-mark", "drift"}}).combines(o) {
			t.Errorf("%s is recorded for another disturbance", o.Name)
		}
	}
	if diff := cmp.Diff([]string{"create then drift-services-demo", "edit-port then drift-services-demo", "edit-env then drift-deployments.apps-demo"}, names); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}
