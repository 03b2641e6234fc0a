package explore

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
)

// TestAnother: the first object and its children must be as after the creation while another
// object is there, and when that is deleted.
func TestAnother(t *testing.T) {
	const owned = `{"metadata": {"ownerReferences": [{"kind": "WebApp"}]}`
	child := func(name, spec string) string {
		return `"deployments.apps ` + name + `": ` + owned + `, "spec": "` + spec + `"}`
	}
	webApp := func(name string) string {
		return `"webapps ` + name + `": {"kind": "WebApp", "metadata": {"name": "` + name + `"}}`
	}
	proxy := func(spec string, owners ...string) string {
		var references []string
		for _, owner := range owners {
			references = append(references, `{"kind": "WebApp", "name": "`+owner+`"}`)
		}
		return `"proxies web": {"metadata": {"ownerReferences": [` + strings.Join(references, ", ") + `]}, "spec": "` + spec + `"}`
	}
	const first = `"webapps demo": {"status": "made"}, `
	for name, tc := range map[string]struct {
		create, beside, deleted string
		whileThere, after       []string // what differs
	}{
		"the same": {
			create: first + child("demo", "a"), beside: first + child("demo", "a") + ", " + child("demo-2", "a"), deleted: first + child("demo", "a"),
		},
		"the child of the first is taken, and goes with the other": {
			create: first + child("web", "a"), beside: first + child("web", "b"), deleted: first[:len(first)-2],
			whileThere: []string{"deployments.apps web spec"}, after: []string{"deployments.apps web "},
		},
		"all share an object, and the status says that there are two": {
			create:  `"webapps demo": {"status": "1 of 1"}, "configmaps all": {"data": "demo"}`,
			beside:  `"webapps demo": {"status": "1 of 2"}, "configmaps all": {"data": "demo, demo-2"}`,
			deleted: `"webapps demo": {"status": "1 of 1"}, "configmaps all": {"data": "demo"}`,
		},
		"an object that all share goes with the other": {
			create: first + `"configmaps all": {}`, beside: first + `"configmaps all": {}`, deleted: first[:len(first)-2], after: []string{"configmaps all "},
		},
		"both own an object": {
			create:  webApp("demo") + ", " + proxy("a", "demo"),
			beside:  webApp("demo") + ", " + webApp("demo-2") + ", " + proxy("a and b", "demo", "demo-2"),
			deleted: webApp("demo") + ", " + proxy("a", "demo"),
		},
		"the other one takes an object": {
			create:     webApp("demo") + ", " + proxy("a", "demo"),
			beside:     webApp("demo") + ", " + webApp("demo-2") + ", " + proxy("b", "demo-2"),
			deleted:    webApp("demo") + ", " + proxy("a", "demo-2"),
			whileThere: []string{"proxies web metadata.ownerReferences[demo]", "proxies web metadata.ownerReferences[demo-2]", "proxies web spec"},
			after:      []string{"proxies web metadata.ownerReferences[demo]", "proxies web metadata.ownerReferences[demo-2]"},
		},
		"the other one leaves something": {create: first + child("demo", "a"), beside: first + child("demo", "a"), deleted: first + child("demo", "a") + `, "secrets demo-2": {}`},
	} {
		t.Run(name, func(t *testing.T) {
			recorded := map[string]*Recording{}
			for name, objects := range map[string]string{"create": tc.create, another: tc.beside, another + " then delete": tc.deleted} {
				recorded[name] = &Recording{Operation: Operation{Name: name}, Undisturbed: v1alpha1.TrialUndisturbed{Objects: "{" + objects + "}"}}
			}
			plans, err := anotherPlans(recorded, v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range [][]string{tc.whileThere, tc.after} {
				if diff := cmp.Diff(want, differing(t, plans[i], recorded["create"], recorded[plans[i].Operation.Name])); diff != "" {
					t.Errorf("%s: differences (-want +got):\n%s", plans[i].Operation.Name, diff)
				}
			}
		})
	}
}

// Harm because of another object is told. What is done to the first object at its creation is
// usual, and so is the same if it is done to the other one.
func TestHarmBecauseOfAnother(t *testing.T) {
	recording := func(objects ...string) *Recording {
		u := v1alpha1.TrialUndisturbed{Objects: `{"services demo": {}}`, Deletions: objects}
		for _, object := range objects {
			u.Harms = append(u.Harms, v1alpha1.TrialMask{Object: object, Path: "deletion"})
		}
		return &Recording{Operation: Operation{Name: another}, Undisturbed: u}
	}
	plans, err := anotherPlans(map[string]*Recording{
		"create": recording("pods demo"), another: recording("pods demo", "pods demo-2", "services demo", "services demo-2"),
	}, v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	want := recording("pods demo", "pods demo", "pods demo-2").Undisturbed
	if diff := cmp.Diff(want.Harms, plans[0].Undisturbed.Harms); diff != "" {
		t.Errorf("harms (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Deletions, plans[0].Undisturbed.Deletions); diff != "" {
		t.Errorf("deletions (-want +got):\n%s", diff)
	}
}

// TestHarmOfADeletion: a controller that has a finalizer may leave the children to the garbage
// collector. What is so when the first object is deleted is no harm when the other one is.
func TestHarmOfADeletion(t *testing.T) {
	recording := func(harms ...v1alpha1.TrialMask) *Recording {
		return &Recording{Operation: Operation{Name: another}, Undisturbed: v1alpha1.TrialUndisturbed{Objects: `{"services demo": {}}`, Harms: harms}}
	}
	left := func(object string) v1alpha1.TrialMask {
		return v1alpha1.TrialMask{Object: object, Path: trial.HarmLeftBehind}
	}
	other := v1alpha1.TrialMask{Object: "services demo", Path: "deletion"}
	for name, tc := range map[string]struct {
		deleted *Recording
		usual   int
	}{
		"the first one leaves it, too": {recording(left("services demo")), 1},
		"the first one leaves others":  {recording(left("secrets demo")), 0},
		"the first one leaves nothing": {recording(), 0},
		"the deletion is not known":    {nil, 1},
	} {
		recorded := map[string]*Recording{"create": recording(), another: recording(), another + " then delete": recording(left("services demo-2"), other)}
		if tc.deleted != nil {
			recorded["delete"] = tc.deleted
		}
		plans, err := anotherPlans(recorded, v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"})
		if err != nil || len(plans) != 2 {
			t.Fatalf("%s: %d plans, %v", name, len(plans), err)
		}
		usual := plans[1].Undisturbed.Harms
		if slices.Contains(usual, left("services demo-2")) != (tc.usual > 0) || slices.Contains(usual, other) {
			t.Errorf("%s: usual is %v", name, usual)
		}
	}
}

// TestLongPlans: two more objects have long names that begin alike, and only harm is told. There is no
// such plan where only one object can be, or if the creation does harm anyway.
func TestLongPlans(t *testing.T) {
	create := recordedWith("create", `{"services demo": {}}`)
	harmful := recordedWith("create", `{}`)
	harmful.Undisturbed.Harms = []v1alpha1.TrialMask{{Object: "services demo", Path: "x"}}
	for name, tc := range map[string]struct {
		create    *Recording
		disturbed []Operation
		want      int
	}{
		"reference":         {create, []Operation{create.Operation}, 1},
		"backup-any":        {create, []Operation{create.Operation}, 1},
		"one-per-namespace": {create, []Operation{create.Operation}, 0},
		"teams":             {create, []Operation{create.Operation}, 0},
		"polling":           {harmful, []Operation{harmful.Operation}, 0},
		"split":             {create, nil, 0},
	} {
		plans, err := targetOf(t, name).longPlans(map[string]*Recording{"create": tc.create}, tc.disturbed)
		if err != nil || len(plans) != tc.want {
			t.Fatalf("%s: %d plans, want %d; %v", name, len(plans), tc.want, err)
		}
		if tc.want == 0 {
			continue
		}
		var names []string
		for _, step := range plans[0].Operation.Steps[1:] {
			object := unstructured.Unstructured{}
			if err := json.Unmarshal(step.Create.Object.Raw, &object.Object); err != nil {
				t.Fatal(err)
			}
			if object.GetKind() == targetOf(t, name).Sample.GetKind() {
				names = append(names, object.GetName())
			}
		}
		if len(names) != 2 || len(names[0]) != 55 || len(names[1]) != 55 || names[0][:54] != names[1][:54] || names[0] == names[1] {
			t.Errorf("%s: names %q", name, names)
		}
		if wrong := differing(t, plans[0], create, recordedWith("", `{}`)); len(wrong) > 0 {
			t.Errorf("%s: it compares %v", name, wrong)
		}
	}
}

// There is no other object where there can be only one.
func TestNoOtherObject(t *testing.T) {
	for name, want := range map[string]bool{"reference": true, "backup-any": true, "one-per-namespace": false, "teams": false} {
		if got := len(targetOf(t, name).Another) > 0; got != want {
			t.Errorf("%s: another object: %v", name, got)
		}
	}
	all := targetOf(t, "reference").Another
	if len(all) != 2 || all[0].GetName() != "demo-2-config" || all[1].GetName() != "demo-2" {
		t.Errorf("beside the first one of reference: %v", all)
	}
}
