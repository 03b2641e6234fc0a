package snapshot

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestMiscounted: objects with made-up names are masked, and one more or one less is a difference.
func TestMiscounted(t *testing.T) {
	counted := func(n int32) v1alpha1.TrialMask { return v1alpha1.TrialMask{Object: "jobs demo-?????", Count: n} }
	expected := Outcome{"jobs demo-aaaaa": map[string]any{}}
	one, two := Outcome{"jobs demo-bbbbb": map[string]any{}}, Outcome{"jobs demo-bbbbb": map[string]any{}, "jobs demo-ccccc": map[string]any{}}
	for name, tc := range map[string]struct {
		found Outcome
		masks []v1alpha1.TrialMask
		want  string
	}{
		"as many":                  {one, []v1alpha1.TrialMask{counted(1)}, ""},
		"one more":                 {two, []v1alpha1.TrialMask{counted(1)}, "jobs demo-?????: expected 1 of them, found 2 of them"},
		"none":                     {Outcome{}, []v1alpha1.TrialMask{counted(1)}, "jobs demo-?????: expected 1 of them, found 0 of them"},
		"twice the same":           {two, []v1alpha1.TrialMask{counted(1), counted(1)}, "jobs demo-?????: expected 1 of them, found 2 of them"},
		"not counted":              {two, []v1alpha1.TrialMask{counted(0)}, ""},
		"two counts":               {two, []v1alpha1.TrialMask{counted(1), counted(3)}, ""},
		"masked without a count":   {two, []v1alpha1.TrialMask{counted(1), {Object: "jobs *"}}, ""},
		"one masked without count": {two, []v1alpha1.TrialMask{counted(1), {Object: "jobs demo-ccccc"}}, ""},
		"a field is masked, too":   {two, []v1alpha1.TrialMask{counted(1), {Object: "jobs *", Path: "status"}}, "jobs demo-?????: expected 1 of them, found 2 of them"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, d := range compareOutcomes(expected, tc.found, history.Identities{}, "", tc.masks) {
				got += d.InWords()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}
