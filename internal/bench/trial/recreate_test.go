package trial

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestShowsBetween: only a Fault that shows an old state can show the moment between a
// deletion and the next creation, and only if the object is recreated.
func TestShowsBetween(t *testing.T) {
	stale := &v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}}
	crash := &v1alpha1.FaultAction{Crash: &v1alpha1.Crash{}}
	recreate := v1alpha1.TrialOperation{Recreate: &v1alpha1.TrialObject{}}
	for name, tc := range map[string]struct {
		fault     *v1alpha1.FaultAction
		operation v1alpha1.TrialOperation
		want      bool
	}{
		"old state of what is recreated": {stale, recreate, true},
		"old state from before an edit":  {stale, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}, false},
		"another fault":                  {crash, recreate, false},
		"no fault":                       {nil, recreate, false},
	} {
		d := &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Fault: tc.fault}}
		if got := d.showsBetween(operation{TrialOperation: tc.operation}); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
