package explore

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestBeside: another object is created, or edited, while a write of the first one is open. Then
// both must be as if they had come one after the other, but for what depends on their order.
func TestBeside(t *testing.T) {
	const demo, like = `"webapps demo": {"status": "made"}, "services demo": {"spec": "demo"}`, `"webapps demo-2": {"status": "made"}, "services demo-2": {"spec": "demo-2"}`
	for name, tc := range map[string]struct {
		both, found string
		want        []string
	}{
		"both are made":           {both: demo + ", " + like, found: demo + ", " + like},
		"the other one is not":    {both: demo + ", " + like, found: demo + `, "webapps demo-2": {}`, want: []string{"services demo-2 ", "webapps demo-2 status"}},
		"the first one is not":    {both: demo + ", " + like, found: `"webapps demo": {"status": "made"}, ` + like, want: []string{"services demo "}},
		"the values of the other": {both: demo + ", " + like, found: `"webapps demo": {"status": "made"}, "services demo": {"spec": "demo-2"}, ` + like, want: []string{"services demo spec"}},
		"they take turns": {
			both:  demo + `, "webapps demo-2": {"status": "waits"}`,
			found: `"webapps demo": {"status": "waits"}, "webapps demo-2": {"status": "made"}, "services demo-2": {"spec": "demo-2"}`,
		},
		"the first free number": {
			both:  demo + `, "webapps demo-2": {"status": "made"}, "services demo-2": {"spec": 2}`,
			found: `"webapps demo": {"status": "made"}, "services demo": {"spec": 2}, "webapps demo-2": {"status": "made"}, "services demo-2": {"spec": 1}`,
		},
		"they share an object": {
			both:  `"webapps demo": {"status": "made"}, "services demo": {"spec": "demo"}, "configmaps all": {"data": "demo,demo-2"}, ` + like,
			found: demo + `, "configmaps all": {"data": "demo-2,demo"}, ` + like,
		},
	} {
		t.Run(name, func(t *testing.T) {
			write := Write{Verb: "create", Resource: "services", Name: "demo", Occurrence: 1, Effective: 1}
			step := func(name string) v1alpha1.TrialOperation {
				object, err := encode(named(name).Object)
				if err != nil {
					t.Fatal(err)
				}
				return v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: object}}
			}
			create := &Recording{
				Operation:   Operation{Name: "create", Steps: []v1alpha1.TrialOperation{step("demo")}},
				Undisturbed: v1alpha1.TrialUndisturbed{Objects: "{" + demo + "}"}, Writes: []Write{write},
			}
			both := &Recording{Operation: Operation{Name: another}, Undisturbed: v1alpha1.TrialUndisturbed{Objects: "{" + tc.both + "}"}}
			target := &Target{Sample: named("demo"), Another: []*unstructured.Unstructured{named("demo-2-config"), named(anotherName)}, AnotherEdits: []profile.Edit{{Name: "image"}}}
			plans, err := target.besidePlans(map[string]*Recording{"create": create, another: both}, []Operation{create.Operation})
			if err != nil || len(plans) != 1 {
				t.Fatalf("%d plans: %v", len(plans), err)
			}
			plan := plans[0]
			if words := plan.Operation.inWords(); len(words) != 2 || words[0] != "create WebApp demo-2-config" || words[1] != "create WebApp demo" {
				t.Errorf("steps: %q", words)
			}
			if d := plan.Disturb; !d.UntilQuiet || stepInWords(*d.Meanwhile) != "create WebApp demo-2" || d.At.Name != "demo" {
				t.Errorf("disturbance: %+v", d)
			}
			expected := &Recording{Operation: both.Operation, Undisturbed: plan.Undisturbed}
			found := &Recording{Operation: both.Operation, Undisturbed: v1alpha1.TrialUndisturbed{Objects: "{" + tc.found + "}"}}
			if diff := cmp.Diff(tc.want, differing(t, plan, expected, found)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBesideWhatIsShared: what two objects share may stay, or be another, if one of them is deleted or
// edited while the other one is there. Nobody has recorded what it is then.
func TestBesideWhatIsShared(t *testing.T) {
	const demo, demo2 = `"webapps demo": {"kind": "WebApp", "metadata": {"name": "demo"}}`, `"webapps demo-2": {"kind": "WebApp", "metadata": {"name": "demo-2"}}`
	owned := func(object, spec string, owners ...string) string {
		references := `{"kind": "WebApp", "name": "` + strings.Join(owners, `"}, {"kind": "WebApp", "name": "`) + `"}`
		return `"` + object + `": {"metadata": {"ownerReferences": [` + references + `]}, "spec": "` + spec + `"}`
	}
	for name, tc := range map[string]struct {
		created, both, deleted, edited string
		want                           []string
	}{
		"nothing": {
			owned("proxies demo", "a", "demo"), owned("proxies demo", "a", "demo") + ", " + owned("proxies demo-2", "a", "demo-2"), "", owned("proxies demo", "b", "demo"),
			[]string{"create", "delete", "edit-image"},
		},
		"both own it": {
			owned("proxies web", "a", "demo"), owned("proxies web", "a and b", "demo", "demo-2"), "", owned("proxies web", "b", "demo"),
			[]string{"create"},
		},
		"nobody owns it, and it goes with the last": {`"maps all": {}`, `"maps all": {}`, "", `"maps all": {}`, []string{"create", "edit-image"}},
		"nobody owns it, and it stays":              {`"maps all": {}`, `"maps all": {}`, `"maps all": {}`, `"maps all": {}`, []string{"create", "delete", "edit-image"}},
	} {
		recorded := map[string]*Recording{}
		var operations []Operation
		for _, o := range []struct{ name, objects string }{
			{"create", strings.Join([]string{demo, tc.created}, ", ")},
			{"edit-image", strings.Join([]string{demo, tc.edited}, ", ")},
			{"delete", tc.deleted},
			{another, strings.Join([]string{demo, demo2, tc.both}, ", ")},
		} {
			r := recordedWith(o.name, "{"+o.objects+"}")
			r.Writes = []Write{{Verb: "update", Resource: "webapps", Name: "demo", Occurrence: 1, Effective: 1}}
			recorded[o.name], operations = r, append(operations, r.Operation)
		}
		target := &Target{Resource: "webapps", Sample: named("demo"), Another: []*unstructured.Unstructured{named(anotherName)}}
		plans, err := target.besidePlans(recorded, operations)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range plans {
			got = append(got, p.Operation.Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: operations (-want +got):\n%s", name, diff)
		}
	}
}

func named(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"kind": "WebApp", "metadata": map[string]any{"name": name}}}
}
