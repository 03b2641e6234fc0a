package webapp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// deploymentAt returns demo's Deployment of generation 2 with the given status.
func deploymentAt(s appsv1.DeploymentStatus) *appsv1.Deployment {
	d := liveDeployment()
	d.Generation = 2
	d.Status = s
	return d
}

// done is the status of a Deployment that has rolled out.
func done() appsv1.DeploymentStatus {
	return appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}
}

func doneBut(edit func(*appsv1.DeploymentStatus)) *appsv1.Deployment {
	s := done()
	edit(&s)
	return deploymentAt(s)
}

func TestStatusOf(t *testing.T) {
	tests := map[string]struct {
		deployment *appsv1.Deployment
		wrong      *problem
		phase      v1beta1.Phase
		reason     string
		ready      int32
	}{
		"nothing there": {nil, nil, v1beta1.PhasePending, ReasonPending, 0},
		"not taken up":  {deploymentAt(appsv1.DeploymentStatus{}), nil, v1beta1.PhasePending, ReasonPending, 0},
		"no Pods yet":   {deploymentAt(appsv1.DeploymentStatus{ObservedGeneration: 2}), nil, v1beta1.PhaseDeploying, ReasonRollingOut, 0},
		"rolled out":    {deploymentAt(done()), nil, v1beta1.PhaseRunning, ReasonRolledOut, 2},
		"earlier generation rolled out": {
			doneBut(func(s *appsv1.DeploymentStatus) { s.ObservedGeneration = 1 }), nil, v1beta1.PhaseDeploying, ReasonRollingOut, 2,
		},
		"one not ready": {
			doneBut(func(s *appsv1.DeploymentStatus) { s.ReadyReplicas, s.AvailableReplicas = 1, 1 }), nil, v1beta1.PhaseDeploying, ReasonRollingOut, 1,
		},
		"ready but not available": {
			doneBut(func(s *appsv1.DeploymentStatus) { s.AvailableReplicas = 1 }), nil, v1beta1.PhaseDeploying, ReasonRollingOut, 2,
		},
		"one of the old left": {
			doneBut(func(s *appsv1.DeploymentStatus) { s.Replicas, s.ReadyReplicas, s.AvailableReplicas = 3, 3, 3 }), nil, v1beta1.PhaseDeploying, ReasonRollingOut, 3,
		},
		"ready ones are old": {
			doneBut(func(s *appsv1.DeploymentStatus) { s.UpdatedReplicas = 1 }), nil, v1beta1.PhaseDeploying, ReasonRollingOut, 2,
		},
		"problem beside a rollout": {deploymentAt(done()), &problem{reason: ReasonUpdateFailed}, v1beta1.PhaseDegraded, ReasonUpdateFailed, 2},
		"name taken":               {nil, &problem{reason: ReasonNameConflict}, v1beta1.PhaseDegraded, ReasonNameConflict, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := statusOf(demo(), tc.deployment, liveService(), tc.wrong)
			want := v1beta1.WebAppStatus{
				ObservedGeneration: 1,
				ReadyReplicas:      tc.ready,
				Phase:              tc.phase,
				ServiceURL:         "http://demo.test.svc:8080",
				Conditions:         got.Conditions,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("status differs (-want +got):\n%s", diff)
			}
			for _, c := range got.Conditions {
				if c.Reason != tc.reason || c.ObservedGeneration != 1 || c.LastTransitionTime.IsZero() {
					t.Errorf("invalid condition: %+v", c)
				}
			}
			for kind, phases := range map[string][]v1beta1.Phase{
				v1beta1.ConditionAvailable:   {v1beta1.PhaseRunning},
				v1beta1.ConditionProgressing: {v1beta1.PhasePending, v1beta1.PhaseDeploying},
				v1beta1.ConditionDegraded:    {v1beta1.PhaseDegraded},
			} {
				want := false
				for _, p := range phases {
					want = want || p == tc.phase
				}
				if is := meta.IsStatusConditionTrue(got.Conditions, kind); is != want {
					t.Errorf("%s is %t, want %t", kind, is, want)
				}
			}
		})
	}
}

func TestStatusStandsStill(t *testing.T) {
	app := demo()
	app.Status = statusOf(app, deploymentAt(done()), liveService(), nil)
	for i := range app.Status.Conditions {
		app.Status.Conditions[i].LastTransitionTime = metav1.Unix(1, 0)
	}
	if again := statusOf(app, deploymentAt(done()), liveService(), nil); !equality.Semantic.DeepEqual(app.Status, again) {
		t.Errorf("status changed:\n%s", cmp.Diff(app.Status, again))
	}

	other := statusOf(app, nil, liveService(), nil)
	for _, c := range other.Conditions {
		flipped := c.Type != v1beta1.ConditionDegraded
		if moved := c.LastTransitionTime.Unix() != 1; moved != flipped {
			t.Errorf("transition time of %s moved: %t, want %t", c.Type, moved, flipped)
		}
	}
}

func TestStatusUndoesHandEdits(t *testing.T) {
	app := demo()
	want := statusOf(app, deploymentAt(done()), liveService(), nil)
	app.Status = *want.DeepCopy()
	app.Status.ReadyReplicas, app.Status.Phase, app.Status.ServiceURL = 9, v1beta1.PhasePending, "x"
	app.Status.Conditions[0].Message = "x"
	if diff := cmp.Diff(want, statusOf(app, deploymentAt(done()), liveService(), nil)); diff != "" {
		t.Errorf("status differs (-want +got):\n%s", diff)
	}
}
