package envtest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// kubelet is a label of a Node. With the value stopped, kwok leaves the Node and its Pods
// alone (see kwok/config.yaml).
const kubelet = "reconform.dev/kubelet"

// LoseNode lets a Node fall silent, as if its machine were switched off. Nothing happens to
// its Pods any more. Kubernetes is told at once what it would notice after a time: that the
// state of the Node is unknown, and that its Pods are not ready.
func (cp *ControlPlane) LoseNode(ctx context.Context, name string) error {
	cluster, err := kubernetes.NewForConfig(cp.Config())
	if err != nil {
		return err
	}
	if err := mark(ctx, cluster, name, "stopped"); err != nil {
		return err
	}
	now := metav1.Now().Format(time.RFC3339)
	status := patch("status", "conditions", []map[string]any{{
		"type": corev1.NodeReady, "status": corev1.ConditionUnknown, "reason": "NodeStatusUnknown",
		"message": "Kubelet stopped posting node status.", "lastTransitionTime": now,
	}})
	if _, err := cluster.CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, status, metav1.PatchOptions{}, "status"); err != nil {
		return fmt.Errorf("losing the Node %s: %w", name, err)
	}
	pods, err := cluster.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
	if err != nil {
		return fmt.Errorf("looking for the Pods of the Node %s: %w", name, err)
	}
	notReady := patch("status", "conditions", []map[string]any{{
		"type": corev1.PodReady, "status": corev1.ConditionFalse, "reason": "NodeNotReady", "lastTransitionTime": now,
	}})
	for _, pod := range pods.Items {
		if _, err := cluster.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, notReady, metav1.PatchOptions{}, "status"); err != nil {
			return fmt.Errorf("losing the Pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	return nil
}

// FindNode ends what LoseNode began: the Node is ready again, its Pods are, and those that
// were deleted meanwhile end.
func (cp *ControlPlane) FindNode(ctx context.Context, name string) error {
	cluster, err := kubernetes.NewForConfig(cp.Config())
	if err != nil {
		return err
	}
	return mark(ctx, cluster, name, nil)
}

// mark writes the label that says whether kwok takes care of a Node.
func mark(ctx context.Context, cluster kubernetes.Interface, name string, value any) error {
	labels := patch("metadata", "labels", map[string]any{kubelet: value})
	if _, err := cluster.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, labels, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("writing the label %s of the Node %s: %w", kubelet, name, err)
	}
	return nil
}

// patch returns a patch of one field.
func patch(parent, field string, value any) []byte {
	data, _ := json.Marshal(map[string]any{parent: map[string]any{field: value}}) // only plain values
	return data
}
