package disruption

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// own gives a namespace Nodes of its own, and moves its Pods there.
//
// There is one like each of the other Nodes, with the same labels, also that of the host
// name. So the scheduler knows no other zones and hosts than before: Pods of other namespaces
// that are to be spread evenly have room as before, and those of this one, too.
func (n *Nodes) own(ctx context.Context, namespace string) (string, error) {
	if err := n.make(ctx, namespace); err != nil {
		return "", err
	}
	label := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"true"}}}`, v1alpha1.LabelOwnNodes)
	if _, err := n.Cluster.CoreV1().Namespaces().Patch(ctx, namespace, types.MergePatchType, label, metav1.PatchOptions{}); err != nil {
		return "", fmt.Errorf("labelling the namespace: %w", err)
	}
	if err := n.awaitPlacing(ctx, namespace); err != nil {
		return "", err
	}
	if err := n.awaitSound(ctx, namespace); err != nil {
		return "", err
	}
	moved, err := n.move(ctx, namespace)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the namespace has Nodes of its own; %d Pods were moved there", moved), nil
}

// make creates the Nodes, unless they are there.
func (n *Nodes) make(ctx context.Context, namespace string) error {
	models, err := n.Cluster.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "!" + v1alpha1.LabelOwnNodes})
	if err != nil {
		return fmt.Errorf("listing the Nodes: %w", err)
	}
	for _, model := range models.Items {
		node := ownNode(&model, namespace)
		if _, err := n.Cluster.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating the Node %s: %w", node.Name, err)
		}
	}
	return nil
}

// ownNode returns a Node like another one, for the Pods of a namespace.
func ownNode(model *corev1.Node, namespace string) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: model.Name + "-of-" + namespace, Labels: model.Labels,
			Annotations: map[string]string{corev1.ObjectTTLAnnotationKey: "0"},
		},
		Spec:   corev1.NodeSpec{Taints: []corev1.Taint{{Key: v1alpha1.LabelOwnNodes, Value: namespace, Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{Allocatable: model.Status.Allocatable, Capacity: model.Status.Capacity, Addresses: model.Status.Addresses},
	}
	node = node.DeepCopy()
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[v1alpha1.LabelOwnNodes] = namespace
	return node
}

// awaitPlacing waits until the API server asks the Placer about the Pods of a namespace.
func (n *Nodes) awaitPlacing(ctx context.Context, namespace string) error {
	probe := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "is-the-webhook-asked"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/none:v1"}}},
	}
	var last error
	err := wait.PollUntilContextCancel(ctx, drainPoll, true, func(ctx context.Context) (bool, error) {
		var pod *corev1.Pod
		pod, last = n.Cluster.CoreV1().Pods(namespace).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return last == nil && pod.Spec.NodeSelector[v1alpha1.LabelOwnNodes] == namespace, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the API server to place Pods on them: %w", errors.Join(err, last))
	}
	return nil
}

// move evicts the Pods of a namespace that are not on its own Nodes, and waits until others
// are there.
func (n *Nodes) move(ctx context.Context, namespace string) (moved int, err error) {
	pods, err := n.pods(ctx, namespace)
	if err != nil {
		return 0, err
	}
	placed := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			placed++
		}
		if elsewhere(pod) {
			if err := n.evict(ctx, pod); err != nil {
				return moved, err
			}
			moved++
		}
	}
	if err := n.settle(ctx, namespace, placed); err != nil {
		return moved, err
	}
	pods, err = n.pods(ctx, namespace)
	if err != nil {
		return moved, err
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			return moved, fmt.Errorf("the Pod %s does not come to a Node of its own: %s", pod.Name, whyUnscheduled(pod))
		}
	}
	return moved, nil
}

// elsewhere says whether a Pod may be on a Node that is not its namespace's own. A Pod of a
// DaemonSet stays there.
func elsewhere(pod corev1.Pod) bool {
	return movable(pod) && pod.Spec.NodeSelector[v1alpha1.LabelOwnNodes] != pod.Namespace
}

// whyUnscheduled returns the scheduler's words.
func whyUnscheduled(pod corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Message != "" {
			return c.Message
		}
	}
	return "it waits for the scheduler"
}

// owned returns the Nodes of a namespace's own, by name.
func (n *Nodes) owned(ctx context.Context, namespace string) ([]corev1.Node, error) {
	list, err := n.Cluster.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelOwnNodes + "=" + namespace})
	if err != nil {
		return nil, fmt.Errorf("listing the Nodes of its own: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, nil
}
