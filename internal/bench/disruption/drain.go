package disruption

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	drainPoll = 100 * time.Millisecond
	// settling is how long a Drain waits for the Pods that come in the place of others.
	settling = 10 * time.Second
	// uncordoning limits how long it may take to make a Node schedulable again.
	uncordoning = 10 * time.Second
)

// drain drains one Node that has Pods of a namespace, as far as that namespace is concerned:
// the Node is cordoned, the Pods of the namespace are evicted, and it is schedulable again
// once others have come in their place. So the Pods of other scenarios stay, and the cordon
// only keeps new ones away for a moment. PodDisruptionBudgets are respected: a refused
// eviction is tried again until the context ends. The message says what was done.
func (n *Nodes) drain(ctx context.Context, namespace string) (message string, err error) {
	pods, err := n.pods(ctx, namespace)
	if err != nil {
		return "", err
	}
	node, placed := "", 0
	for _, pod := range pods {
		if at := pod.Spec.NodeName; movable(pod) && at != "" && (node == "" || at < node) {
			node = at
		}
		if pod.Spec.NodeName != "" {
			placed++
		}
	}
	if node == "" {
		return "", errors.New("no Pod that can be evicted runs in this namespace")
	}
	uncordon, err := n.cordon(ctx, node)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, uncordon()) }()
	var names []string
	for _, pod := range pods {
		if pod.Spec.NodeName != node || !movable(pod) {
			continue
		}
		if err := n.evict(ctx, pod); err != nil {
			return "", err
		}
		names = append(names, pod.Name)
	}
	if err := n.settle(ctx, namespace, placed); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s was drained: %s evicted", node, strings.Join(names, ", ")), nil
}

// pods returns the Pods of a namespace that have not ended. Bystanders are left out: they are on
// no Node.
func (n *Nodes) pods(ctx context.Context, namespace string) ([]corev1.Pod, error) {
	list, err := n.Cluster.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "!" + v1alpha1.LabelBystander})
	if err != nil {
		return nil, fmt.Errorf("listing the Pods to evict: %w", err)
	}
	return slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool {
		return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	}), nil
}

// movable says whether a drain evicts a Pod. Those of a DaemonSet stay.
func movable(pod corev1.Pod) bool {
	owner := metav1.GetControllerOf(&pod)
	return owner == nil || owner.Kind != "DaemonSet"
}

// cordon keeps new Pods away from a Node. The returned function ends that, also if the
// context has ended, unless another Drain still needs it. A Node that somebody else has
// cordoned stays so.
func (n *Nodes) cordon(ctx context.Context, name string) (uncordon func() error, err error) {
	nothing := func() error { return nil }
	if n.Theirs {
		return nothing, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cordons[name] == 0 {
		node, err := n.Cluster.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("reading the Node to drain: %w", err)
		}
		if node.Spec.Unschedulable {
			return nothing, nil
		}
	}
	if n.cordons == nil {
		n.cordons = map[string]int{}
	}
	n.cordons[name]++
	if n.cordons[name] == 1 {
		if err := n.setUnschedulable(ctx, name, true); err != nil {
			return nil, errors.Join(err, n.uncordon(ctx, name)) // it may have been written
		}
	}
	return func() error {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.uncordon(ctx, name)
	}, nil
}

// uncordon ends what one Drain needed, also if its context has ended. The caller has the lock.
func (n *Nodes) uncordon(ctx context.Context, name string) error {
	if n.cordons[name]--; n.cordons[name] > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uncordoning)
	defer cancel()
	return n.setUnschedulable(ctx, name, false)
}

func (n *Nodes) setUnschedulable(ctx context.Context, name string, value bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, value)
	if _, err := n.Cluster.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("writing whether the Node %s is schedulable: %w", name, err)
	}
	return nil
}

// evict evicts a Pod and waits until it is gone. A budget that allows no eviction may allow
// one later.
func (n *Nodes) evict(ctx context.Context, pod corev1.Pod) error {
	eviction := &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))},
	}
	asked := false
	var refused error
	err := wait.PollUntilContextCancel(ctx, drainPoll, true, func(ctx context.Context) (bool, error) {
		if !asked {
			err := n.Cluster.PolicyV1().Evictions(pod.Namespace).Evict(ctx, eviction)
			switch {
			case apierrors.IsTooManyRequests(err):
				refused = err
				return false, nil
			case apierrors.IsNotFound(err) || apierrors.IsConflict(err):
				return true, nil
			case err != nil:
				return false, err
			}
			asked, refused = true, nil
		}
		present, err := n.Cluster.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && present.UID != pod.UID, err
	})
	if err != nil {
		return fmt.Errorf("evicting Pod %s: %w", pod.Name, errors.Join(err, refused))
	}
	return nil
}

// settle waits until a namespace has as many Pods on Nodes as before. Nothing is wrong if it
// does not get them: that is for the scenario to judge.
func (n *Nodes) settle(ctx context.Context, namespace string, before int) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, drainPoll, true, func(ctx context.Context) (bool, error) {
		pods, err := n.pods(ctx, namespace)
		pods = slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return pod.Spec.NodeName == "" })
		return len(pods) >= before, err
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
