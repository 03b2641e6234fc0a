package explore

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestDoublesAreRecordedOnce: what has the same steps is recorded under one name, and all
// combinations are known under theirs.
func TestDoublesAreRecordedOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		edits []string
		want  []string // operations that are not recorded, and what they double
	}{
		"one edit": {[]string{"image"}, []string{
			"create then delete = delete", "create then recreate = recreate", "create then edit = edit-image", "create then restart = restart",
			"edits then as-new = edit-image then as-new",
		}},
		"two edits": {[]string{"image", "schedule"}, []string{
			"create then delete = delete", "create then recreate = recreate", "create then edit = edit-image", "create then restart = restart",
		}},
		"no edit": {nil, []string{"create then delete = delete", "create then recreate = recreate", "create then restart = restart"}},
	} {
		t.Run(name, func(t *testing.T) {
			target := &Target{
				Profile: &profile.Profile{}, Resource: "webapps.apps.kubedojo.io",
				Sample: &unstructured.Unstructured{Object: map[string]any{"kind": "WebApp", "metadata": map[string]any{"name": "demo"}, "spec": map[string]any{"image": "a", "schedule": "b"}}},
			}
			for _, field := range tc.edits {
				target.Edits = append(target.Edits, profile.Edit{
					Name: field, Patch: map[string]any{"spec": map[string]any{field: "changed"}}, Undo: map[string]any{"spec": map[string]any{field: nil}},
				})
			}
			operations, err := target.operations([]child{{"services", "demo"}})
			if err != nil {
				t.Fatal(err)
			}
			anew, err := target.createdSo(operations)
			if err != nil {
				t.Fatal(err)
			}
			more := slices.Concat(combined(operations, target.others(), false, false), anew)
			apart, doubles, err := withoutDoubles(operations, more)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range doubles {
				got = append(got, d.Name+" = "+d.of)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("doubles (-want +got):\n%s", diff)
			}
			recorded := map[string]*Recording{}
			steps := map[string]string{} // by what is recorded
			for _, o := range slices.Concat(operations, apart) {
				data, err := json.Marshal(o.Steps)
				if err != nil {
					t.Fatal(err)
				}
				if other, twice := steps[string(data)]; twice {
					t.Errorf("%s and %s are both recorded", other, o.Name)
				}
				steps[string(data)] = o.Name
				recorded[o.Name] = &Recording{Operation: o, Undisturbed: v1alpha1.TrialUndisturbed{Objects: "after " + o.Name}}
			}
			underBothNames(recorded, doubles)
			for _, o := range more {
				r := recorded[o.Name]
				if r == nil {
					t.Errorf("%s is not known", o.Name)
					continue
				}
				if diff := cmp.Diff(o, r.Operation); diff != "" {
					t.Errorf("%s is known as another operation (-want +got):\n%s", o.Name, diff)
				}
			}
			if r := recorded["create then delete"]; !strings.HasSuffix(r.Undisturbed.Objects, "after delete") {
				t.Errorf("create then delete: %s", r.Undisturbed.Objects)
			}
		})
	}
}

// If the first one was not recorded, for want of time, neither is its double.
func TestDoubleOfWhatIsNotRecorded(t *testing.T) {
	recorded := map[string]*Recording{}
	underBothNames(recorded, []double{{Operation{Name: "create then delete"}, "delete"}})
	if len(recorded) > 0 {
		t.Errorf("%v", recorded)
	}
}
