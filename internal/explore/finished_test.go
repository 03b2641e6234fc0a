package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestFinishedAgain: a child that had done its work and was deleted is not made again by a new process.
// What each new process does anyway is no difference.
func TestFinishedAgain(t *testing.T) {
	const done = `{"jobs.batch demo": {"status": {"conditions": [{"type": "Complete", "status": "True"}]}}, "services demo": {}}`
	target := v1alpha1.TrialTarget{Resource: "jobs.batch", Name: "demo"}
	for name, tc := range map[string]struct {
		create, deleted string
		plans           int
	}{
		"it stays away":            {done, `{"services demo": {}}`, 1},
		"it is made again anyway":  {done, done, 0},
		"it had not done its work": {`{"jobs.batch demo": {"status": {"active": 1}}}`, `{}`, 0},
	} {
		restart := recordedWith("restart", tc.create, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
		restart.Undisturbed.Harms = []v1alpha1.TrialMask{{Object: "services demo", Path: "stamped"}}
		deleted := recordedWith("delete-child-jobs", tc.deleted, v1alpha1.TrialOperation{DeleteChild: &target})
		recorded := map[string]*Recording{"create": recordedWith("create", tc.create), "restart": restart, deleted.Name: deleted}
		plans, err := finishedPlans(recorded, []Operation{deleted.Operation, restart.Operation})
		if err != nil || len(plans) != tc.plans {
			t.Fatalf("%s: %d plans, want %d; %v", name, len(plans), tc.plans, err)
		}
		if tc.plans == 0 {
			continue
		}
		if steps := plans[0].Operation.Steps; len(steps) != 3 || steps[2].Restart == nil {
			t.Errorf("%s: %s", name, plans[0].InWords())
		}
		if diff := cmp.Diff(restart.Undisturbed.Harms, plans[0].Undisturbed.Harms); diff != "" {
			t.Errorf("%s: harms (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]string{"jobs.batch demo "}, differing(t, plans[0], deleted, recordedWith("", done))); diff != "" {
			t.Errorf("%s: differences (-want +got):\n%s", name, diff)
		}
	}
}
