package trial

import (
	"fmt"
	"io"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestWrongStatuses: a status that names an earlier generation of its object, or has two conditions of
// one type, is told, unless it is so without the disturbance, or versions may be missing.
func TestWrongStatuses(t *testing.T) {
	of := func(name string, generation int64, status map[string]any) version {
		o := &unstructured.Unstructured{Object: map[string]any{"status": status}}
		o.SetName(name)
		o.SetGeneration(generation)
		return version{resource: "webapps", Unstructured: o}
	}
	observed := func(generation int64) map[string]any { return map[string]any{"observedGeneration": generation} }
	conditions := func(generations ...int64) map[string]any {
		var all []any
		for i, generation := range generations {
			all = append(all, map[string]any{"type": fmt.Sprint("Type", i), "observedGeneration": generation})
		}
		return map[string]any{"conditions": all}
	}
	twice := func(types ...string) map[string]any {
		var all []any
		for _, kind := range types {
			all = append(all, map[string]any{"type": kind})
		}
		return map[string]any{"conditions": all}
	}
	gone := of("demo", 2, observed(1))
	gone.gone = true
	for name, tc := range map[string]struct {
		versions []version
		usual    string
		broken   bool
		want     int
	}{
		"it is behind":            {versions: []version{of("demo", 1, observed(1)), of("demo", 3, observed(1))}, want: 1},
		"it has caught up":        {versions: []version{of("demo", 3, observed(1)), of("demo", 3, observed(3))}},
		"it is ahead":             {versions: []version{of("demo", 3, observed(4))}, want: 1},
		"ahead undisturbed, too":  {versions: []version{of("demo", 3, observed(4))}, usual: HarmNoGeneration},
		"behind undisturbed":      {versions: []version{of("demo", 3, observed(4))}, usual: HarmOldGeneration, want: 1},
		"a condition is ahead":    {versions: []version{of("demo", 3, conditions(3, 4, 5))}, want: 1},
		"a condition is behind":   {versions: []version{of("demo", 3, conditions(2))}},
		"a type twice":            {versions: []version{of("demo", 3, twice("Ready", "Synced", "Ready"))}, want: 1},
		"each type once":          {versions: []version{of("demo", 3, twice("Ready", "Synced"))}},
		"twice undisturbed, too":  {versions: []version{of("demo", 3, twice("Ready", "Ready"))}, usual: HarmTwoConditions},
		"a condition of no type":  {versions: []version{of("demo", 3, twice("", ""))}},
		"it names none":           {versions: []version{of("demo", 3, map[string]any{"phase": "Running"})}},
		"it is gone":              {versions: []version{of("demo", 2, observed(1)), gone}},
		"somebody else's object":  {versions: []version{of("other", 2, observed(1))}},
		"so undisturbed, too":     {versions: []version{of("demo", 3, observed(1))}, usual: HarmOldGeneration},
		"other harm undisturbed":  {versions: []version{of("demo", 3, observed(1))}, usual: HarmSelects, want: 1},
		"versions may be missing": {versions: []version{of("demo", 3, observed(1))}, broken: true},
	} {
		r := &run{
			seen:       &timeline{versions: tc.versions, broken: tc.broken},
			spec:       v1alpha1.TrialSpec{Undisturbed: &v1alpha1.TrialUndisturbed{Harms: []v1alpha1.TrialMask{{Object: "webapps demo", Path: tc.usual}}}},
			operations: []operation{{object: &unstructured.Unstructured{}, resource: schema.GroupVersionResource{Resource: "webapps"}, name: "demo"}},
		}
		found := r.wrongStatuses()
		if len(found) != tc.want || len(found) > 0 && found[0].Object != "webapps demo" {
			t.Errorf("%s: %+v, want %d", name, found, tc.want)
		}
	}
}

// TestOldGenerationBesideOtherHarm: a recording tells of a status that is behind, too, if it has seen
// other harm. Otherwise it would accuse each disturbed one.
func TestOldGenerationBesideOtherHarm(t *testing.T) {
	behind := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"observedGeneration": int64(1)}}}
	behind.SetName("demo")
	behind.SetGeneration(2)
	for name, harm := range map[string][]v1alpha1.Divergence{
		"nothing else": nil,
		"other harm":   {{Kind: v1alpha1.DivergenceHarm, Object: "services demo", Path: HarmSelects}},
	} {
		r := &run{
			Controller:  &Controller{Recorder: history.New(io.Discard, nil), Profile: func(string) *profile.Profile { return &profile.Profile{} }},
			seen:        &timeline{versions: []version{{resource: "webapps", Unstructured: behind}}},
			operations:  []operation{{object: &unstructured.Unstructured{}, resource: schema.GroupVersionResource{Resource: "webapps"}, name: "demo"}},
			divergences: harm,
		}
		status := v1alpha1.TrialStatus{}
		r.judge(t.Context(), &status, history.Account{}, history.Generated{})
		if told := len(status.Divergences); told != len(harm)+1 || status.Divergences[told-1].Path != HarmOldGeneration {
			t.Errorf("%s: %+v", name, status.Divergences)
		}
	}
}
