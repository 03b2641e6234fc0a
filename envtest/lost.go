package envtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// kubelet is a label of a Node. With the value stopped, kwok leaves the Node and its Pods
// alone (see kwok/config.yaml).
const kubelet = "reconform.dev/kubelet"

// LoseNode looks at the Pods every losingPoll. It ends when no Pod was ready losingLooks times in a
// row.
const (
	losingPoll  = 50 * time.Millisecond
	losingLooks = 3
)

// LoseNode lets a Node fall silent, as if its machine were switched off: see the function
// [LoseNode].
func (cp *ControlPlane) LoseNode(ctx context.Context, name string) error {
	cluster, err := kubernetes.NewForConfig(cp.Config())
	if err != nil {
		return err
	}
	return LoseNode(ctx, cluster, name)
}

// FindNode ends what LoseNode began: see the function [FindNode].
func (cp *ControlPlane) FindNode(ctx context.Context, name string) error {
	cluster, err := kubernetes.NewForConfig(cp.Config())
	if err != nil {
		return err
	}
	return FindNode(ctx, cluster, name)
}

// LoseNode lets a Node of a control plane of this package fall silent, as if its machine were
// switched off. Nothing happens to its Pods any more. Kubernetes is told at once what it
// would notice after a time: that the state of the Node is unknown, and that its Pods are not
// ready.
func LoseNode(ctx context.Context, cluster kubernetes.Interface, name string) error {
	if err := mark(ctx, cluster, name, "stopped"); err != nil {
		return err
	}
	now := metav1.Now().Format(time.RFC3339)
	var conditions []map[string]any
	for _, of := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		conditions = append(conditions, map[string]any{
			"type": of, "status": corev1.ConditionUnknown, "reason": "NodeStatusUnknown",
			"message": "Kubelet stopped posting node status.", "lastTransitionTime": now,
		})
	}
	status := patch("status", "conditions", conditions)
	if _, err := cluster.CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, status, metav1.PatchOptions{}, "status"); err != nil {
		return fmt.Errorf("losing the Node %s: %w", name, err)
	}
	// kwok may still be about to make a Pod ready. Once it knows of the label, it is not.
	quiet := 0
	err := wait.PollUntilContextCancel(ctx, losingPoll, true, func(ctx context.Context) (bool, error) {
		ready, err := losePods(ctx, cluster, name, now)
		if ready > 0 {
			quiet = 0
		} else {
			quiet++
		}
		return quiet == losingLooks, err
	})
	if err != nil {
		return fmt.Errorf("losing the Pods of the Node %s: %w", name, err)
	}
	return nil
}

// losePods makes the Pods of a Node not ready, and returns how many of them were ready.
// node-lifecycle-controller does the same: it changes only the status of the condition.
func losePods(ctx context.Context, cluster kubernetes.Interface, node, now string) (ready int, err error) {
	pods, err := cluster.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return 0, err
	}
	notReady := patch("status", "conditions", []map[string]any{{
		"type": corev1.PodReady, "status": corev1.ConditionFalse, "lastTransitionTime": now,
	}})
	for _, pod := range pods.Items {
		if !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}) {
			continue
		}
		ready++
		_, err := cluster.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, notReady, metav1.PatchOptions{}, "status")
		if err != nil && !apierrors.IsNotFound(err) {
			return ready, fmt.Errorf("the Pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	return ready, nil
}

// FindNode ends what [LoseNode] began: the Node and its Pods become ready again, and Pods that were
// deleted in the meantime go away.
func FindNode(ctx context.Context, cluster kubernetes.Interface, name string) error {
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
