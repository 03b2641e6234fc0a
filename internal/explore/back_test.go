package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

// TestEditedBack: what an edit leaves behind when it was taken back is a difference, unless a
// sound controller may leave it.
func TestEditedBack(t *testing.T) {
	const template = `"spec": {"template": `
	for name, tc := range map[string]struct {
		patch               string
		create, edited, now string
		want                []string // what still differs
	}{
		"all is back": {now: `{"deployments.apps demo": {"spec": {}}}`, create: `{"deployments.apps demo": {"spec": {}}}`, edited: `{}`},
		"a field stays": {
			create: `{"deployments.apps demo": {"spec": {"env": []}}}`, edited: `{"deployments.apps demo": {"spec": {"env": ["A"]}}}`,
			now:  `{"deployments.apps demo": {"spec": {"env": ["A"]}}}`,
			want: []string{"deployments.apps demo spec.env[0]"},
		},
		"a child is gone": {create: `{"services demo": {}}`, edited: `{}`, now: `{}`, want: []string{"services demo "}},
		"history": {
			create: `{"requests.example.com demo-1": {}, "services demo": {}}`, edited: `{"requests.example.com demo-2": {}, "services demo": {}}`,
			now: `{"requests.example.com demo-3": {}}`, want: []string{"services demo "},
		},
		"the object itself, and statuses": {
			create: `{"webapps demo": {"spec": {"a": 1}}, "jobs demo": {"status": {"a": 1}}}`, edited: `{}`,
			now: `{"webapps demo": {"spec": {"a": 2}}, "jobs demo": {"status": {"a": 2}}}`,
		},
		"a claim": {
			create: `{"persistentvolumeclaims demo": {"spec": {"size": 1}}}`, edited: `{"persistentvolumeclaims demo": {"spec": {"size": 2}}}`,
			now: `{"persistentvolumeclaims demo": {"spec": {"size": 2}}}`,
		},
		"a counter": {
			create: `{"jobs demo": {` + template + `{"run": 1}}}}`, edited: `{"jobs demo": {` + template + `{"run": 2}}}}`,
			now: `{"jobs demo": {` + template + `{"run": 3}}}}`,
		},
		"a number that stays": {
			create: `{"jobs demo": {"spec": {"replicas": 1}}}`, edited: `{"jobs demo": {"spec": {"replicas": 3}}}`,
			now: `{"jobs demo": {"spec": {"replicas": 3}}}`, want: []string{"jobs demo spec.replicas"},
		},
		"a revision in a label": {
			create: `{"jobs demo": {"metadata": {"labels": {"revision": "1"}}}}`, edited: `{"jobs demo": {"metadata": {"labels": {"revision": "1"}}}}`,
			now: `{"jobs demo": {"metadata": {"labels": {"revision": "3"}}}}`,
		},
		"a note": {
			create: `{"jobs demo": {"metadata": {"annotations": {"a/b": "x"}}}}`, edited: `{}`,
			now: `{"jobs demo": {"metadata": {"annotations": {"a/b": "x", "c/d.e": "y"}}}}`,
		},
		"an annotation of the edit": {
			patch:  `{"spec": {"annotations": {"c/d.e": "y"}}}`,
			create: `{"jobs demo": {"metadata": {"annotations": {"a/b": "x"}}}}`, edited: `{}`,
			now:  `{"jobs demo": {"metadata": {"annotations": {"a/b": "x", "c/d.e": "y"}}}}`,
			want: []string{"jobs demo metadata.annotations.c/d.e"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			recording := func(name, objects string, step v1alpha1.TrialOperation) *Recording {
				return &Recording{Operation: Operation{Name: name, Steps: []v1alpha1.TrialOperation{step}}, Undisturbed: v1alpha1.TrialUndisturbed{Objects: objects}}
			}
			edit := recording("edit-a", tc.edited, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{Patch: apiextensionsv1.JSON{Raw: []byte(tc.patch)}}})
			recorded := map[string]*Recording{
				"create": recording("create", tc.create, v1alpha1.TrialOperation{}), "edit-a": edit,
				"edit-a then back": recording("edit-a then back", tc.now, v1alpha1.TrialOperation{}),
			}
			plans, err := backPlans(recorded, []Operation{edit.Operation}, v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}, true)
			if err != nil {
				t.Fatal(err)
			}
			if len(plans) != 1 || plans[0].Sort != "edited-back" || plans[0].Undisturbed.Objects != tc.create {
				t.Fatalf("plans: %+v", plans)
			}
			got := differing(t, plans[0], recorded["create"], recorded["edit-a then back"])
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEditedBackAtOnce: the first edit of the object is also taken back when its Pods cannot start,
// if there is a contract, and before the controller has seen it.
func TestEditedBackAtOnce(t *testing.T) {
	own := v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}
	patch := v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{TrialTarget: own}}
	beside := recordedWith("edit-configmap-a", `{}`, patch)
	beside.About = "configmaps"
	recorded := map[string]*Recording{"create": recordedWith("create", `{"services demo": {"port": 1}}`)}
	var operations []Operation
	for _, r := range []*Recording{beside, recordedWith("edit-image", `{}`, patch), recordedWith("edit-port", `{}`, patch)} {
		back := recordedWith(r.Name+" then back", `{"services demo": {"port": 1}}`, patch, patch)
		back.About = r.About
		recorded[r.Name], recorded[back.Name] = r, back
		operations = append(operations, r.Operation)
	}
	for contract, want := range map[bool][]string{
		true:  {"edited-back", "edited-back", editedUnseen, editedUnready, "edited-back"},
		false: {"edited-back", "edited-back", editedUnseen, "edited-back"},
	} {
		plans, err := backPlans(recorded, operations, own, contract)
		if err != nil {
			t.Fatal(err)
		}
		var sorts []string
		for _, p := range plans {
			sorts = append(sorts, p.Sort)
			wrong := differing(t, p, recorded["create"], recordedWith("", `{"services demo": {"port": 2}}`))
			if len(wrong) != 1 {
				t.Errorf("%s: a child that is not put back: %v", p.InWords(), wrong)
			}
			switch steps := p.Operation.Steps; {
			case p.Sort == editedUnseen && (len(steps) != 3 || p.Disturb.From != 2 || p.Disturb.At.Resource != "webapps"):
				t.Errorf("unseen: %+v", p)
			case p.Sort == editedUnready && (len(steps) != 4 || steps[1].Create == nil || p.Disturb != nil):
				t.Errorf("unready: %+v", p)
			}
		}
		if diff := cmp.Diff(want, sorts); diff != "" {
			t.Errorf("contract %t (-want +got):\n%s", contract, diff)
		}
	}
}

// differing returns in what two recordings differ, without what a plan masks.
func differing(t *testing.T, plan *Plan, expected, found *Recording) []string {
	t.Helper()
	states, err := outcomesOf(expected, found)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range snapshot.Between(states[0], states[1]) {
		if !snapshot.Masked(plan.Undisturbed.Masks, d.Object, d.Path) {
			all = append(all, d.Object+" "+d.Path)
		}
	}
	return all
}
