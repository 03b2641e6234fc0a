package webapp

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRefusal(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	tests := map[string]struct {
		err  error
		told bool
	}{
		"policy or quota":  {apierrors.NewForbidden(deployments, "demo", errors.New("no")), true},
		"invalid":          {apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "demo", nil), true},
		"server error":     {apierrors.NewInternalError(errors.New("boom")), true},
		"conflict":         {apierrors.NewConflict(deployments, "demo", errors.New("modified")), false},
		"already exists":   {apierrors.NewAlreadyExists(deployments, "demo"), false},
		"gone meanwhile":   {apierrors.NewNotFound(deployments, "demo"), false},
		"throttled":        {apierrors.NewTooManyRequestsError("later"), false},
		"connection reset": {errors.New("read: connection reset by peer"), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := refusal(tc.err, ReasonCreateFailed, "creating Deployment demo")
			if !errors.Is(got, tc.err) {
				t.Errorf("%v does not wrap %v", got, tc.err)
			}
			problems, settled := problemsIn(nil, got)
			if told := len(problems) == 1; told != tc.told || settled != tc.told {
				t.Errorf("told: %t, settled: %t, want both %t", told, settled, tc.told)
			}
			if !strings.HasPrefix(got.Error(), "creating Deployment demo: ") {
				t.Errorf("message %q does not say what was being done", got)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	if got := summary(nil); got != nil {
		t.Errorf("summary of nothing = %v", got)
	}
	got := summary([]*problem{{reason: "A", message: "one"}, {reason: "B", message: "two"}})
	if got.reason != "A" || got.message != "one; two" {
		t.Errorf("summary = %+v", got)
	}
	long := summary([]*problem{{reason: "A", message: "x" + strings.Repeat("ü", maxMessage)}})
	if len(long.message) > maxMessage || !utf8.ValidString(long.message) {
		t.Errorf("summary has %d bytes, valid: %t", len(long.message), utf8.ValidString(long.message))
	}
}

func TestRolloutProblem(t *testing.T) {
	stuck := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: "too slow"}
	refused := appsv1.DeploymentCondition{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: "quota"}
	fine := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue}
	tests := map[string]struct {
		observed  int64
		condition appsv1.DeploymentCondition
		want      string
	}{
		"fine":               {2, fine, ""},
		"stuck":              {2, stuck, "Deployment demo: ProgressDeadlineExceeded: too slow"},
		"refused":            {2, refused, "Deployment demo: FailedCreate: quota"},
		"earlier generation": {1, stuck, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := deploymentAt(appsv1.DeploymentStatus{ObservedGeneration: tc.observed, Conditions: []appsv1.DeploymentCondition{tc.condition}})
			d.Name = "demo"
			got := ""
			if p := rolloutProblem(d); p != nil {
				got = p.message
			}
			if got != tc.want {
				t.Errorf("problem %q, want %q", got, tc.want)
			}
		})
	}
	if p := rolloutProblem(nil); p != nil {
		t.Errorf("problem without a Deployment: %v", p)
	}
}
