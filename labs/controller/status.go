//lab:given 08

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// status is what a WebApp says of itself.
type status struct {
	readyReplicas      int32
	phase              string // Pending, Deploying, Running or Degraded
	observedGeneration int64
}

// statusOf derives the status from the Deployment (nil if there is none) and from what
// failed (nil if nothing did).
func statusOf(app *unstructured.Unstructured, d *appsv1.Deployment, failed error) status {
	//lab:from 08
	//lab:todo TODO(lab): readyReplicas, the phase, and observedGeneration: of which generation is this the status?
	//lab:stub return status{phase: "Pending"}
	s := status{phase: "Pending"}
	s.observedGeneration, _, _ = unstructured.NestedInt64(app.Object, "status", "observedGeneration")
	if failed == nil {
		s.observedGeneration = app.GetGeneration() // The children are as this generation says.
	}
	if d != nil {
		s.readyReplicas = d.Status.ReadyReplicas
	}
	switch {
	case failed != nil:
		s.phase = "Degraded"
	case d == nil || d.Status.ObservedGeneration == 0:
		s.phase = "Pending"
	case !rolledOut(d):
		s.phase = "Deploying"
	default:
		s.phase = "Running"
	}
	return s
	//lab:end
}

// rolledOut tells whether exactly those Pods are there that the Deployment asks for now,
// and all are ready. Its status may still speak of an earlier generation.
func rolledOut(d *appsv1.Deployment) bool {
	want, is := *d.Spec.Replicas, d.Status
	return is.ObservedGeneration >= d.Generation && is.Replicas == want && is.UpdatedReplicas == want &&
		is.ReadyReplicas == want && is.AvailableReplicas == want
}

// updateStatus writes the status, unless it is so already. Otherwise each reconcile would
// cost a write, and one that differs each time would cause the next, for ever.
func (c *controller) updateStatus(ctx context.Context, app *unstructured.Unstructured, d *appsv1.Deployment, failed error) error {
	s := statusOf(app, d, failed)
	//lab:from 08
	//lab:todo TODO(lab): put s into a copy of the WebApp, and send it to the subresource (UpdateStatus), if it differs.
	//lab:stub _ = s
	changed := app.DeepCopy()
	for field, value := range map[string]any{
		"readyReplicas": int64(s.readyReplicas), "phase": s.phase, "observedGeneration": s.observedGeneration,
	} {
		if err := unstructured.SetNestedField(changed.Object, value, "status", field); err != nil {
			return fmt.Errorf("setting the status: %w", err)
		}
	}
	if equality.Semantic.DeepEqual(app.Object["status"], changed.Object["status"]) {
		return nil
	}
	_, err := c.client.Resource(webApps).Namespace(app.GetNamespace()).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	if err != nil && !apierrors.IsNotFound(err) { // It may have been deleted meanwhile.
		return fmt.Errorf("writing the status: %w", err)
	}
	//lab:end
	return nil
}
