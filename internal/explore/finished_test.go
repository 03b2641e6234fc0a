package explore

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestFinishedWorkIsNotDoneAgain: a child that somebody deleted must come back, and one that
// somebody changed must be put right, unless it had done its work.
func TestFinishedWorkIsNotDoneAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		status string
		want   int
	}{
		"a Job that has completed":      {`{"ready": 0, "conditions": [{"type": "SuccessCriteriaMet", "status": "True"}, {"type": "Complete", "status": "True"}]}`, 0},
		"a Job that has failed":         {`{"conditions": [{"type": "Failed", "status": "True"}]}`, 0},
		"a Job that runs":               {`{"active": 1}`, 1},
		"a Job that is suspended":       {`{"conditions": [{"type": "Suspended", "status": "True"}]}`, 1},
		"a run that has not succeeded":  {`{"conditions": [{"type": "Succeeded", "status": "Unknown"}]}`, 1},
		"a run that has succeeded":      {`{"conditions": [{"type": "Succeeded", "status": "True"}]}`, 0},
		"a Pod that has ended":          {`{"phase": "Succeeded"}`, 0},
		"a Pod that runs":               {`{"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}`, 1},
		"a Deployment that is complete": {`{"conditions": [{"type": "Available", "status": "True"}, {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]}`, 1},
		"no status":                     {`{}`, 1},
	} {
		create := recordedWith("create", `{"jobs.batch demo": {"status": `+tc.status+`}}`)
		target := v1alpha1.TrialTarget{Resource: "jobs.batch", Name: "demo"}
		deleted := recordedWith("delete-child-x", `{}`, v1alpha1.TrialOperation{DeleteChild: &target})
		changed := recordedWith("drift-x", `{}`, v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: target}})
		restarted := recordedWith("restart", `{}`, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}}) // is always compared
		recorded := map[string]*Recording{"create": create, "delete-child-x": deleted, "drift-x": changed, "restart": restarted}
		plans := equalPlans(recorded, []Operation{deleted.Operation, changed.Operation, restarted.Operation})
		if len(plans) != 2*tc.want+1 {
			t.Errorf("%s: %d plans, want %d", name, len(plans), 2*tc.want+1)
		}
	}
}
