package webapp

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// Reasons of the conditions of a WebApp without problems.
const (
	// ReasonPending: a child is not there yet, or not taken up yet.
	ReasonPending = "Pending"
	// ReasonRollingOut: Pods of this generation are missing, or older ones left.
	ReasonRollingOut = "RollingOut"
	// ReasonRolledOut: all Pods of this generation are ready, and no others left.
	ReasonRolledOut = "RolledOut"
)

// statusOf derives the status of app from its children, nil if it has none,
// and from what is wrong, nil if nothing.
func statusOf(app *v1beta1.WebApp, d *appsv1.Deployment, s *corev1.Service, wrong *problem) v1beta1.WebAppStatus {
	status := *app.Status.DeepCopy() // for the conditions' transition times
	status.ObservedGeneration = app.Generation
	status.ServiceURL = urlOf(s)
	status.ReadyReplicas = 0
	if d != nil {
		status.ReadyReplicas = d.Status.ReadyReplicas
	}

	var reason, message string
	switch {
	case wrong != nil:
		status.Phase = v1beta1.PhaseDegraded
		reason, message = wrong.reason, wrong.message
	case d == nil || s == nil || d.Status.ObservedGeneration == 0:
		status.Phase = v1beta1.PhasePending
		reason, message = ReasonPending, "waiting for the Deployment and the Service"
	case !rolledOut(d, app.Spec.Replicas):
		status.Phase = v1beta1.PhaseDeploying
		reason, message = ReasonRollingOut, "waiting for the Pods of this generation"
	default:
		status.Phase = v1beta1.PhaseRunning
		reason, message = ReasonRolledOut, "all Pods of this generation are ready"
	}

	for _, c := range []struct {
		kind string
		is   bool
	}{
		{v1beta1.ConditionAvailable, status.Phase == v1beta1.PhaseRunning},
		{v1beta1.ConditionProgressing, status.Phase == v1beta1.PhasePending || status.Phase == v1beta1.PhaseDeploying},
		{v1beta1.ConditionDegraded, status.Phase == v1beta1.PhaseDegraded},
	} {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type:               c.kind,
			Status:             conditionStatus(c.is),
			ObservedGeneration: app.Generation,
			Reason:             reason,
			Message:            message,
		})
	}
	return status
}

// rolledOut tells whether exactly the given number of Pods is there, all of the
// Deployment's present generation and ready.
func rolledOut(d *appsv1.Deployment, replicas int32) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation &&
		s.Replicas == replicas && s.UpdatedReplicas == replicas &&
		s.ReadyReplicas == replicas && s.AvailableReplicas == replicas
}

// reported tells whether the status of app already reports p.
func reported(app *v1beta1.WebApp, p *problem) bool {
	c := meta.FindStatusCondition(app.Status.Conditions, v1beta1.ConditionDegraded)
	return c != nil && c.Status == metav1.ConditionTrue && c.Reason == p.reason && c.Message == p.message
}

func conditionStatus(is bool) metav1.ConditionStatus {
	if is {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
