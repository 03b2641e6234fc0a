package explore

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestEditedAsNew: what differs between an object that was edited, and one that was created
// so, is a difference, unless a sound controller may leave it.
func TestEditedAsNew(t *testing.T) {
	for name, tc := range map[string]struct {
		patch                string
		create, anew, edited string
		want                 []string // what differs
	}{
		"the same": {create: `{"services demo": {"spec": {"port": 1}}}`, anew: `{"services demo": {"spec": {"port": 2}}}`, edited: `{"services demo": {"spec": {"port": 2}}}`},
		"a field did not follow": {
			create: `{"services demo": {"spec": {"port": 1}}}`, anew: `{"services demo": {"spec": {"port": 2}}}`, edited: `{"services demo": {"spec": {"port": 1}}}`,
			want: []string{"services demo spec.port"},
		},
		"a child that was switched off stays": {
			create: `{"ingresses demo": {}}`, anew: `{}`, edited: `{"ingresses demo": {}}`, want: []string{"ingresses demo "},
		},
		"a child that was switched on does not come": {
			create: `{}`, anew: `{"ingresses demo": {}}`, edited: `{}`, want: []string{"ingresses demo "},
		},
		"a history of names by content": {
			create: `{"configmaps demo-12345678": {}}`, anew: `{"configmaps demo-87654321": {}}`, edited: `{"configmaps demo-12345678": {}, "configmaps demo-87654321": {}}`,
		},
		"a history of numbers": {
			create: `{"configmaps demo-1": {"data": "a"}}`, anew: `{"configmaps demo-1": {"data": "b"}}`,
			edited: `{"configmaps demo-1": {"data": "a"}, "configmaps demo-2": {"data": "b"}}`,
		},
		"what nobody can change": {
			create: `{"jobs.batch demo": {"spec": {"a": 1}}, "deployments.apps demo": {"spec": {"selector": "a"}}}`,
			anew:   `{"jobs.batch demo": {"spec": {"a": 2}}, "deployments.apps demo": {"spec": {"selector": "b"}}}`,
			edited: `{"jobs.batch demo": {"spec": {"a": 1}}, "deployments.apps demo": {"spec": {"selector": "a"}}}`,
		},
		"a revision": {
			create: `{"services demo": {"metadata": {"labels": {"revision": "1"}}}}`, anew: `{"services demo": {"metadata": {"labels": {"revision": "1"}}}}`,
			edited: `{"services demo": {"metadata": {"labels": {"revision": "2"}}}}`,
		},
		"a number that did not follow": {
			create: `{"deployments.apps demo": {"spec": {"replicas": 3}}}`, anew: `{"deployments.apps demo": {"spec": {"replicas": 1}}}`,
			edited: `{"deployments.apps demo": {"spec": {"replicas": 3}}}`, want: []string{"deployments.apps demo spec.replicas"},
		},
		"a note": {create: `{"services demo": {"metadata": {}}}`, anew: `{"services demo": {"metadata": {}}}`, edited: `{"services demo": {"metadata": {"annotations": {"a/b": "x"}}}}`},
		"a note of what was right before": {
			create: `{"services demo": {"metadata": {"annotations": {"a/b": "x"}}}}`, anew: `{"services demo": {"metadata": {"annotations": {"a/b": "y"}}}}`,
			edited: `{"services demo": {"metadata": {"annotations": {"a/b": "x"}}}}`, want: []string{"services demo metadata.annotations.a/b"},
		},
		"the order of a list": {
			create: `{"jobs demo": {"env": [{"name": "a"}]}}`, anew: `{"jobs demo": {"env": [{"name": "a"}, {"name": "b"}]}}`, edited: `{"jobs demo": {"env": [{"name": "b"}, {"name": "a"}]}}`,
		},
		"a status says what was right before": {
			create: `{"webapps demo": {"status": {"url": "a", "note": "made"}}}`, anew: `{"webapps demo": {"status": {"url": "b", "note": "made"}}}`,
			edited: `{"webapps demo": {"status": {"url": "a", "note": "edited"}}}`, want: []string{"webapps demo status.url"},
		},
		"the object itself": {create: `{"webapps demo": {"a": 1}}`, anew: `{"webapps demo": {"a": 1}}`, edited: `{"webapps demo": {"a": 2, "status": {"b": 1}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			recording := func(name, objects string, steps ...v1alpha1.TrialOperation) *Recording {
				return &Recording{Operation: Operation{Name: name, Steps: steps}, Undisturbed: v1alpha1.TrialUndisturbed{Objects: objects}}
			}
			edit := recording("edit-a", tc.edited, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{Patch: apiextensionsv1.JSON{Raw: []byte(tc.patch)}}})
			anew := recording("edit-a then as-new", tc.anew)
			recorded := map[string]*Recording{"create": recording("create", tc.create), edit.Name: edit, anew.Name: anew}
			plans, err := asNewPlans(recorded, []Operation{edit.Operation}, v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			if len(plans) != 1 || plans[0].Sort != "edited-as-new" || plans[0].Undisturbed.Objects != tc.anew {
				t.Fatalf("plans: %+v", plans)
			}
			got := differing(t, plans[0], anew, edit)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// createdSoOf returns what is recorded to compare the edits of a target.
func createdSoOf(t *testing.T, target *Target) []Operation {
	t.Helper()
	operations, err := target.operations(nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := target.createdSo(operations)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCreatedSo: an object is created with each edit in it, and with all of them, which are
// made one after the other, too.
func TestCreatedSo(t *testing.T) {
	sample := &unstructured.Unstructured{Object: map[string]any{"kind": "WebApp", "metadata": map[string]any{"name": "demo"}, "spec": map[string]any{"a": int64(1), "b": int64(1)}}}
	spec := func(key string, value any) profile.Edit {
		return profile.Edit{Name: key, Patch: map[string]any{"spec": map[string]any{key: value}}}
	}
	config := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "config"}}}
	target := &Target{
		Profile: &profile.Profile{Profile: v1alpha1.Profile{Spec: v1alpha1.ProfileSpec{Serves: make([]v1alpha1.Served, 1)}}}, Resource: "webapps", Sample: sample,
		Beside: []*unstructured.Unstructured{config},
		Edits:  []profile.Edit{spec("a", int64(2)), spec("b", nil)},
	}
	all := createdSoOf(t, target)
	created := map[string]any{}
	for _, o := range all {
		switch o.Name {
		case allEdits:
			if len(o.Steps) != 3 {
				t.Errorf("%s has %d steps", o.Name, len(o.Steps))
			}
			continue
		case undoneEdits:
			if diff := cmp.Diff(`{"spec":{"a":1,"b":1}}`, string(o.Steps[1].Patch.Patch.Raw)); diff != "" {
				t.Errorf("%s patches (-want +got):\n%s", o.Name, diff)
			}
		}
		if patch := o.Steps[0].Patch; patch != nil { // what is beside it is edited before
			created[o.Name] = patch.Resource
			continue
		}
		object := map[string]any{}
		if err := json.Unmarshal(o.Steps[0].Create.Object.Raw, &object); err != nil {
			t.Fatal(err)
		}
		created[o.Name] = object["spec"]
	}
	want := map[string]any{
		"edit-a then as-new": map[string]any{"a": 2., "b": 1.}, "edit-b then as-new": map[string]any{"a": 1.}, "edits then as-new": map[string]any{"a": 2.},
		"edits-undone": map[string]any{"a": 2.}, "edit-configmap-config then as-new": "configmaps",
	}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
}

// A number of replicas that only grows is not taken back.
func TestGrowingIsNotTakenBack(t *testing.T) {
	target := targetOf(t, "reference")
	for _, only := range []bool{false, true} {
		target.Profile.Spec.Contract.Spec.Replicas.GrowOnly = only
		all := createdSoOf(t, target)
		undone := slices.ContainsFunc(all, func(o Operation) bool { return o.Name == undoneEdits })
		if undone == only {
			t.Errorf("grows only: %v, taken back: %v", only, undone)
		}
	}
}

// What the profile does not claim is not judged.
func TestUnclaimedEditsAreNotCompared(t *testing.T) {
	for name, want := range map[string]int{"reference": 6, "kubebuilder-deploy-image": 1} { // the latter claims no port
		target := targetOf(t, name)
		all := createdSoOf(t, target)
		one := func(o Operation) bool { return strings.HasPrefix(o.Name, "edit-") }
		if got := len(slices.DeleteFunc(all, func(o Operation) bool { return !one(o) })); got != want {
			t.Errorf("%s: %d edits are compared, expected %d", name, got, want)
		}
	}
}
