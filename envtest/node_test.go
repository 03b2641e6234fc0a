package envtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// TestNodes: what happens to the Pods of a Node that is drained, not ready or lost. Each
// case has a Node of its own, so that the other tests keep theirs.
func TestNodes(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T, *nodeCase){
		"cordoned and drained": func(t *testing.T, n *nodeCase) {
			n.patch(`{"spec": {"unschedulable": true}}`)
			victim := n.pods()[0]
			if err := n.c.PolicyV1().Evictions(n.namespace).Evict(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: n.namespace, Name: victim.Name}}); err != nil {
				t.Fatal(err)
			}
			n.awaitReplacement(victim)
			awaitUnschedulable(t, n.c, n.namespace, "unschedulable")
			n.patch(`{"spec": {"unschedulable": false}}`)
			awaitReady(t, n.c, n.namespace, "demo", 1)
		},
		"not ready": func(t *testing.T, n *nodeCase) {
			victim := n.pods()[0]
			n.patch(`{"metadata": {"annotations": {"reconform.dev/ready": "false"}}}`)
			n.awaitTaint(corev1.TaintNodeNotReady)
			n.awaitReplacement(victim) // it tolerates this for a second
			n.patch(`{"metadata": {"annotations": {"reconform.dev/ready": null}}}`)
			awaitReady(t, n.c, n.namespace, "demo", 1)
		},
		"lost, and back": func(t *testing.T, n *nodeCase) {
			victim := n.pods()[0]
			if err := sharedControlPlane(t).LoseNode(t.Context(), n.node); err != nil {
				t.Fatal(err)
			}
			if node, err := n.c.CoreV1().Nodes().Get(t.Context(), n.node, metav1.GetOptions{}); err != nil || len(unknown(node)) != 4 {
				t.Errorf("of the lost Node these are unknown: %v, and not its readiness and the pressure of memory, disk and processes (%v)", unknown(node), err)
			}
			awaitReady(t, n.c, n.namespace, "demo", 0)
			n.awaitTaint(corev1.TaintNodeUnreachable)
			n.awaitReplacement(victim)
			// Nobody has stopped it: its Node is lost.
			held, err := n.c.CoreV1().Pods(n.namespace).Get(t.Context(), victim.Name, metav1.GetOptions{})
			if err != nil || held.DeletionTimestamp == nil || held.Status.Phase != corev1.PodRunning {
				t.Errorf("the Pod of a lost Node: %+v, %v", held.Status, err)
			}
			if err := sharedControlPlane(t).FindNode(t.Context(), n.node); err != nil {
				t.Fatal(err)
			}
			awaitNone(t, func() (*corev1.Pod, error) {
				return n.c.CoreV1().Pods(n.namespace).Get(t.Context(), victim.Name, metav1.GetOptions{})
			})
			awaitReady(t, n.c, n.namespace, "demo", 1)
			if node, err := n.c.CoreV1().Nodes().Get(t.Context(), n.node, metav1.GetOptions{}); err != nil || len(unknown(node)) != 0 {
				t.Errorf("of the Node that is back these are unknown: %v (%v)", unknown(node), err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, newNodeCase(t))
		})
	}
}

// unknown returns the conditions of a Node that are unknown.
func unknown(node *corev1.Node) (types []corev1.NodeConditionType) {
	for _, condition := range node.Status.Conditions {
		if condition.Status == corev1.ConditionUnknown {
			types = append(types, condition.Type)
		}
	}
	return types
}

// TestNodeInfo: a Node says of itself what those of a cluster say, in the form that programs
// read. So does one that a test creates with nothing but a label.
func TestNodeInfo(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	version, err := c.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	bare := "bare-" + namespace
	if _, err := c.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: bare, Labels: map[string]string{corev1.LabelHostname: bare}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: bare, Effect: corev1.TaintEffectNoSchedule}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node-0", bare} {
		eventually(t, soon, func() error {
			node, err := c.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			info := node.Status.NodeInfo
			runtime, _, ok := strings.Cut(info.ContainerRuntimeVersion, "://")
			if info.KubeletVersion != version.GitVersion || !ok || runtime == "" || node.Status.Allocatable.StorageEphemeral().IsZero() {
				return fmt.Errorf("%s: kubelet %q, want %q; runtime %q; allocatable %v",
					name, info.KubeletVersion, version.GitVersion, info.ContainerRuntimeVersion, node.Status.Allocatable)
			}
			return nil
		})
	}
}

// nodeCase is a Node on which only the Deployment demo in the namespace runs.
type nodeCase struct {
	t               *testing.T
	c               kubernetes.Interface
	namespace, node string
}

func newNodeCase(t *testing.T) *nodeCase {
	t.Helper()
	c, namespace := client(t)
	n := &nodeCase{t, c, namespace, "node-of-" + namespace}
	node := fakeNodes(nil)[1].DeepCopy()
	node.Name, node.Labels = n.node, map[string]string{corev1.LabelHostname: n.node}
	node.Spec.Taints = []corev1.Taint{{Key: n.node, Effect: corev1.TaintEffectNoSchedule}}
	if _, err := c.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	d := deployment("demo", "example/app:1", 1)
	d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	d.Spec.Template.Spec.NodeSelector = node.Labels
	d.Spec.Template.Spec.Tolerations = []corev1.Toleration{
		{Key: n.node, Operator: corev1.TolerationOpExists},
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To(int64(1))},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To(int64(1))},
	}
	create(t, c, namespace, d)
	awaitReady(t, c, namespace, "demo", 1)
	return n
}

func (n *nodeCase) patch(text string) {
	n.t.Helper()
	if _, err := n.c.CoreV1().Nodes().Patch(n.t.Context(), n.node, types.MergePatchType, []byte(text), metav1.PatchOptions{}); err != nil {
		n.t.Fatal(err)
	}
}

func (n *nodeCase) pods() []corev1.Pod {
	n.t.Helper()
	list, err := n.c.CoreV1().Pods(n.namespace).List(n.t.Context(), metav1.ListOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	return list.Items
}

func (n *nodeCase) awaitTaint(key string) {
	n.t.Helper()
	eventually(n.t, soon, func() error {
		node, err := n.c.CoreV1().Nodes().Get(n.t.Context(), n.node, metav1.GetOptions{})
		if err == nil && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key && t.Effect == corev1.TaintEffectNoExecute }) {
			err = fmt.Errorf("taints %+v", node.Spec.Taints)
		}
		return err
	})
}

// awaitReplacement waits until there is another Pod, and the victim is gone or to be
// deleted.
func (n *nodeCase) awaitReplacement(victim corev1.Pod) {
	n.t.Helper()
	eventually(n.t, 2*soon, func() error {
		another := false
		for _, pod := range n.pods() {
			if pod.UID != victim.UID {
				another = true
			} else if pod.DeletionTimestamp == nil {
				return errors.New("the Pod is still there")
			}
		}
		if !another {
			return errors.New("no other Pod has taken its place")
		}
		return nil
	})
}
