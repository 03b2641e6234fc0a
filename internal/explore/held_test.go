package explore

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestDeletionIsNotTakenBack: a child that somebody deleted must come back, unless a finalizer
// still holds it.
func TestDeletionIsNotTakenBack(t *testing.T) {
	const claim = "persistentvolumeclaims data"
	create := recordedWith("create", `{"`+claim+`": {}}`)
	for name, tc := range map[string]struct {
		outcome string
		want    int
	}{
		"it is gone":        {`{}`, 1},
		"it came back":      {`{"` + claim + `": {"metadata": {}}}`, 1},
		"it is held":        {`{"` + claim + `": {"metadata": {"deletionTimestamp": "<time>"}}}`, 0},
		"another is ending": {`{"pods data": {"metadata": {"deletionTimestamp": "<time>"}}}`, 1},
	} {
		deleted := recordedWith("delete-child-x", tc.outcome, v1alpha1.TrialOperation{DeleteChild: &v1alpha1.TrialTarget{Resource: "persistentvolumeclaims", Name: "data"}})
		plans := equalPlans(map[string]*Recording{"create": create, "delete-child-x": deleted}, []Operation{deleted.Operation})
		if len(plans) != tc.want {
			t.Errorf("%s: %d plans, want %d", name, len(plans), tc.want)
		}
	}
}
