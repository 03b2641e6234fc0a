package disruption

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
)

// readyAnnotation of a Node makes kwok say that it is not ready, if the value is false (see
// envtest/kwok).
const readyAnnotation = "reconform.dev/ready"

// cordonOwn makes a Node unschedulable.
func (n *Nodes) cordonOwn(ctx context.Context, namespace string) (string, error) {
	node, err := n.sound(ctx, namespace)
	if err != nil {
		return "", err
	}
	if err := n.change(ctx, node, func(node *corev1.Node) { node.Spec.Unschedulable = true }); err != nil {
		return "", err
	}
	err = n.awaitTaint(ctx, node, corev1.TaintNodeUnschedulable)
	return node + " takes no new Pods", err
}

// fail makes a Node not ready.
func (n *Nodes) fail(ctx context.Context, namespace string) (string, error) {
	node, err := n.sound(ctx, namespace)
	if err != nil {
		return "", err
	}
	if err := n.change(ctx, node, func(node *corev1.Node) { metav1.SetMetaDataAnnotation(&node.ObjectMeta, readyAnnotation, "false") }); err != nil {
		return "", err
	}
	err = n.awaitTaint(ctx, node, corev1.TaintNodeNotReady)
	return node + " is not ready", err
}

// lose lets a Node fall silent.
func (n *Nodes) lose(ctx context.Context, namespace string) (string, error) {
	node, err := n.sound(ctx, namespace)
	if err != nil {
		return "", err
	}
	if err := envtest.LoseNode(ctx, n.Cluster, node); err != nil {
		return "", err
	}
	if err := n.awaitTaint(ctx, node, corev1.TaintNodeUnreachable); err != nil {
		return "", err
	}
	on, err := n.on(ctx, namespace, node)
	return fmt.Sprintf("%s is lost, with %s", node, strings.Join(on, ", ")), err
}

// retire gives up a Node that is lost.
func (n *Nodes) retire(ctx context.Context, namespace string) (string, error) {
	nodes, err := n.owned(ctx, namespace)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(nodes, func(node corev1.Node) bool {
		return tainted(node, corev1.TaintNodeUnreachable) && !tainted(node, corev1.TaintNodeOutOfService)
	})
	if i < 0 {
		return "", fmt.Errorf("this namespace has no lost Node of its own: first create a Disruption with the action %s", v1alpha1.ActionLoseNode)
	}
	node := nodes[i].Name
	// As https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown says.
	if err := n.change(ctx, node, func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute})
	}); err != nil {
		return "", err
	}
	err = wait.PollUntilContextCancel(ctx, drainPoll, true, func(ctx context.Context) (bool, error) {
		left, err := n.on(ctx, namespace, node)
		return len(left) == 0, err
	})
	if err != nil {
		return "", fmt.Errorf("waiting until the Pods of %s are deleted: %w", node, err)
	}
	return node + " is out of service", nil
}

// restore makes all Nodes of a namespace's own sound again.
func (n *Nodes) restore(ctx context.Context, namespace string) (string, error) {
	nodes, err := n.owned(ctx, namespace)
	if err != nil {
		return "", err
	}
	for _, node := range nodes {
		if err := n.change(ctx, node.Name, func(node *corev1.Node) {
			node.Spec.Unschedulable = false
			delete(node.Annotations, readyAnnotation)
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService })
		}); err != nil {
			return "", err
		}
		if err := envtest.FindNode(ctx, n.Cluster, node.Name); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d Nodes are sound", len(nodes)), n.awaitSound(ctx, namespace)
}

// sound returns the Node that something is to happen to: the first with Pods of the namespace
// that nothing is wrong with.
func (n *Nodes) sound(ctx context.Context, namespace string) (string, error) {
	nodes, err := n.owned(ctx, namespace)
	if err != nil {
		return "", err
	}
	for _, node := range nodes {
		on, err := n.on(ctx, namespace, node.Name)
		if err != nil {
			return "", err
		}
		if isSound(node) && len(on) > 0 {
			return node.Name, nil
		}
	}
	return "", errNoOwn
}

// isSound says whether a Node is ready, and takes Pods of its namespace.
func isSound(node corev1.Node) bool {
	ready := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	return ready && !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key != v1alpha1.LabelOwnNodes })
}

func tainted(node corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

// on returns the names of the Pods of a namespace that are on a Node, have not ended, and are
// not to be deleted.
func (n *Nodes) on(ctx context.Context, namespace, node string) ([]string, error) {
	pods, err := n.pods(ctx, namespace)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, pod := range pods {
		if pod.Spec.NodeName == node {
			names = append(names, pod.Name)
		}
	}
	return names, nil
}

// change changes a Node. Kubernetes and kwok change it, too.
func (n *Nodes) change(ctx context.Context, name string, edit func(*corev1.Node)) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := n.Cluster.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		edit(node)
		_, err = n.Cluster.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("changing the Node %s: %w", name, err)
	}
	return nil
}

// awaitTaint waits until Kubernetes has noticed what is wrong with a Node. Those that make it
// delete Pods come a moment later than those that only keep new ones away.
func (n *Nodes) awaitTaint(ctx context.Context, name, key string) error {
	effect := corev1.TaintEffectNoExecute
	if key == corev1.TaintNodeUnschedulable {
		effect = corev1.TaintEffectNoSchedule
	}
	err := wait.PollUntilContextCancel(ctx, drainPoll, true, func(ctx context.Context) (bool, error) {
		node, err := n.Cluster.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key && t.Effect == effect }), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the taint %s of the Node %s: %w", key, name, err)
	}
	return nil
}

// awaitSound waits until nothing is wrong with the Nodes of a namespace's own.
func (n *Nodes) awaitSound(ctx context.Context, namespace string) error {
	var ailing string
	err := wait.PollUntilContextCancel(ctx, drainPoll, true, func(ctx context.Context) (bool, error) {
		nodes, err := n.owned(ctx, namespace)
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(nodes, func(node corev1.Node) bool { return !isSound(node) })
		if i < 0 {
			return true, nil
		}
		ailing = nodes[i].Name
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("waiting until the Node %s is ready: %w", ailing, err)
	}
	return nil
}
