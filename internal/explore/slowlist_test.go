package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestSlowListPlans: each watched resource has a plan in which its first list after a restart
// takes long.
func TestSlowListPlans(t *testing.T) {
	restart := recordedWith("restart", `{}`, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
	restart.Watches = []string{"deployments.apps", "services"}
	failover := recordedWith("failover", `{}`, v1alpha1.TrialOperation{Failover: &v1alpha1.Empty{}})
	failover.Watches = restart.Watches
	recorded := map[string]*Recording{"restart": restart, "failover": failover}
	var points []v1alpha1.TrialPoint
	for _, plan := range slowListPlans(recorded, []Operation{{Name: "create"}, restart.Operation, failover.Operation}) {
		points = append(points, plan.Disturb.At)
		if plan.Operation.Name != "restart" || plan.Disturb.From != 0 || *plan.Disturb.Fault.DelayMs < 2000 {
			t.Errorf("%s: %+v", plan.InWords(), plan.Disturb)
		}
	}
	want := []v1alpha1.TrialPoint{
		{Verb: history.VerbList, Resource: "deployments.apps", Occurrence: 1}, {Verb: history.VerbList, Resource: "services", Occurrence: 1},
	}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
	if plans := slowListPlans(map[string]*Recording{}, []Operation{restart.Operation}); len(plans) > 0 {
		t.Errorf("without a recording: %d plans", len(plans))
	}
}
