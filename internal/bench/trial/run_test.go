package trial

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// comparing answers each comparison of outcomes with what it returns.
type comparing func() []v1alpha1.Divergence

func (comparing) CheckResources(string, []string) error { return nil }

func (comparing) Outcome(context.Context, string, []string) (snapshot.Outcome, error) {
	return snapshot.Outcome{}, nil
}

func (c comparing) Compare(string, snapshot.Outcome, snapshot.Outcome, []v1alpha1.TrialMask) ([]v1alpha1.Divergence, error) {
	return c(), nil
}

// TestConclude: the outcome is compared before the touch and after it, whatever harm was seen before.
// What differs before the touch and not after it is repaired by it; that harm is not.
func TestConclude(t *testing.T) {
	wrong := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: "services demo", Path: "spec"}
	harm := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "subject-0", Path: HarmNeverLeads}
	for name, tc := range map[string]struct {
		before   []v1alpha1.Divergence
		differs  func(touched bool) bool
		want     []v1alpha1.Divergence
		repaired bool
	}{
		"all is right":                     {nil, func(bool) bool { return false }, nil, false},
		"the touch repairs it":             {nil, func(touched bool) bool { return !touched }, []v1alpha1.Divergence{wrong}, true},
		"it stays wrong":                   {nil, func(bool) bool { return true }, []v1alpha1.Divergence{wrong}, false},
		"it is wrong after the touch only": {nil, func(touched bool) bool { return touched }, []v1alpha1.Divergence{wrong}, false},
		"harm, and all is right":           {[]v1alpha1.Divergence{harm}, func(bool) bool { return false }, []v1alpha1.Divergence{harm}, false},
		"harm, and the touch repairs":      {[]v1alpha1.Divergence{harm}, func(touched bool) bool { return !touched }, []v1alpha1.Divergence{harm, wrong}, true},
		"harm, and wrong after the touch":  {[]v1alpha1.Divergence{harm}, func(touched bool) bool { return touched }, []v1alpha1.Divergence{harm, wrong}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &run{
				namespace: "a", within: 5 * time.Second, expected: snapshot.Outcome{}, seen: &timeline{}, divergences: tc.before,
				spec: v1alpha1.TrialSpec{Undisturbed: &v1alpha1.TrialUndisturbed{}},
			}
			r.Controller = &Controller{
				Recorder: history.New(io.Discard, nil), Subjects: nothingElse{}, Profile: func(string) *profile.Profile { return &profile.Profile{} },
				Outcomes: comparing(func() []v1alpha1.Divergence {
					if tc.differs(!r.touched.at.IsZero()) {
						return []v1alpha1.Divergence{wrong}
					}
					return nil
				}),
			}
			if err := r.conclude(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(tc.want, r.divergences); diff != "" || r.repaired != tc.repaired {
				t.Errorf("%s: repaired %t; divergences (-want +got):\n%s", name, r.repaired, diff)
			}
		})
	}
}
