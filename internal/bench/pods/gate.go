package pods

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
)

// gatesAtOnce is how many gates are opened or closed at the same time.
const gatesAtOnce = 8

// Kept selects the Pods that a Keeper keeps.
func Kept() labels.Selector { return labels.SelectorFromSet(labels.Set{labelKept: "true"}) }

// SetupWithManager makes the manager keep the gates of Pods. The manager's cache needs only
// the Pods that [Kept] selects.
func (k *Keeper) SetupWithManager(mgr ctrl.Manager) error {
	err := ctrl.NewControllerManagedBy(mgr).Named("pods").For(&corev1.Pod{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: gatesAtOnce}).Complete(k)
	if err != nil {
		return fmt.Errorf("registering the controller of Pods: %w", err)
	}
	return nil
}

// Reconcile opens or closes the gate of one Pod.
func (k *Keeper) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{}
	if err := k.Client.Get(ctx, request.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	k.measure(pod, (*clock).look)
	before := pod.DeepCopy()
	if pod.DeletionTimestamp != nil || !setGate(pod, metav1.Now()) {
		return ctrl.Result{}, nil
	}
	// The patch merges by type, because the other conditions belong to the kubelet.
	err := k.Client.Status().Patch(ctx, pod, client.StrategicMergeFrom(before))
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("writing the gate of Pod %s: %w", request, err)
	}
	return ctrl.Result{}, nil
}

// setGate sets the gate's condition to what the annotation says, and tells whether it was
// different before.
func setGate(pod *corev1.Pod, now metav1.Time) (changed bool) {
	want := corev1.PodCondition{Type: conditionReady, Status: corev1.ConditionTrue, Reason: "Granted", LastTransitionTime: now}
	if pod.Annotations[annotationReady] == "false" {
		want.Status, want.Reason, want.Message = corev1.ConditionFalse, "Withheld", "the scenario withholds readiness"
	}
	for i := range pod.Status.Conditions {
		if present := &pod.Status.Conditions[i]; present.Type == conditionReady {
			changed = present.Status != want.Status
			if changed {
				*present = want
			}
			return changed
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, want)
	return true
}
