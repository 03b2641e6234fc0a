package bench_test

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/record/history"
)

// TestNodes: what each Disruption of Nodes does on a control plane with its scheduler and the
// controllers of Kubernetes. Each step goes on from the one before.
func TestNodes(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	c := newClusterWithNodes(t)
	c.disrupt(v1alpha1.ActionOwnNodes, "3 Pods were moved there")

	cordoned := c.disrupt(v1alpha1.ActionCordonNode, "takes no new Pods")
	if !c.get(cordoned).Spec.Unschedulable {
		t.Errorf("%s is not cordoned", cordoned)
	}
	c.replaced(cordoned)

	failed := c.disrupt(v1alpha1.ActionFailNode, "is not ready")
	if failed == cordoned {
		t.Errorf("%s failed, which was cordoned and has no Pods", failed)
	}
	for _, condition := range c.get(failed).Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionFalse {
			t.Errorf("Ready is %s, and a kubelet says False", condition.Status)
		}
	}
	// A kubelet that says so still says of its Pods that they are ready, and they stay for
	// five minutes.
	if len(c.on(failed)) == 0 || c.ready() != 3 {
		t.Errorf("%d Pods on %s, %d ready in all", len(c.on(failed)), failed, c.ready())
	}
	c.replaced(failed)

	c.disrupt(v1alpha1.ActionRestoreNodes, "3 Nodes are sound")
	c.await("all Pods are ready again", func() bool { return c.ready() == 3 })
	for _, name := range []string{cordoned, failed} {
		if node := c.get(name); node.Spec.Unschedulable || len(node.Spec.Taints) != 1 {
			t.Errorf("%s after RestoreNodes: unschedulable %t, taints %+v", name, node.Spec.Unschedulable, node.Spec.Taints)
		}
	}
	// The Nodes of all others are as before.
	var nodes corev1.NodeList
	if err := c.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		if node.Labels[v1alpha1.LabelOwnNodes] == "" && (node.Spec.Unschedulable || len(node.Spec.Taints) > 0) {
			t.Errorf("%s, which all scenarios share: %+v", node.Name, node.Spec)
		}
	}
}

// clusterWithNodes is a control plane with three Nodes, a bench, and a Deployment of three
// Pods, all of them ready.
type clusterWithNodes struct {
	client.Client
	t         *testing.T
	namespace string
}

func newClusterWithNodes(t *testing.T) *clusterWithNodes {
	t.Helper()
	p, err := subjectProfile(t.TempDir(), "webapps")
	if err != nil {
		t.Fatal(err)
	}
	controlPlane, err := envtest.Start(t.Context(), envtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = controlPlane.Stop(context.Background()) })
	b, err := bench.Start(t.Context(), bench.Options{
		Config: controlPlane.Config(), Profile: p, Recorder: history.New(nil, nil), WorkDir: t.TempDir(), TimeoutScale: 1, Launcher: stage.launcher,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	c := &clusterWithNodes{t: t, namespace: "scenario"}
	if c.Client, err = client.New(controlPlane.Config(), client.Options{Scheme: stage.client.Scheme()}); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "three"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "three"}}
	d.Spec.Replicas, d.Spec.Selector = ptr.To[int32](3), &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "app", Image: "registry.example/app:v1"}}
	for _, object := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}}, d} {
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	c.await("three Pods are ready", func() bool { return c.ready() == 3 })
	return c
}

// disrupt returns the first word of what a Disruption says that it did: the name of the Node.
func (c *clusterWithNodes) disrupt(action v1alpha1.DisruptionAction, message string) string {
	c.t.Helper()
	d := disruption(c.namespace, action)
	if err := c.Create(c.t.Context(), d); err != nil {
		c.t.Fatal(err)
	}
	c.await(string(action), func() bool {
		if err := c.Get(c.t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
			c.t.Fatal(err)
		}
		return d.Status.Phase == v1alpha1.DisruptionDone || d.Status.Phase == v1alpha1.DisruptionFailed
	})
	if d.Status.Phase != v1alpha1.DisruptionDone || !strings.Contains(d.Status.Message, message) {
		c.t.Fatalf("%s: %s: %s", action, d.Status.Phase, d.Status.Message)
	}
	name, _, _ := strings.Cut(d.Status.Message, " ")
	return name
}

// replaced deletes the Pods of a Node that takes no new ones: others run elsewhere.
func (c *clusterWithNodes) replaced(node string) {
	c.t.Helper()
	pods := c.on(node)
	if len(pods) == 0 {
		c.t.Fatalf("%s has no Pods any more", node)
	}
	for _, pod := range pods {
		if err := c.Delete(c.t.Context(), &pod); err != nil {
			c.t.Fatal(err)
		}
	}
	c.await("the Pods that were on "+node+" run elsewhere", func() bool { return len(c.on(node)) == 0 && c.ready() == 3 })
}

func (c *clusterWithNodes) get(node string) (found corev1.Node) {
	c.t.Helper()
	if err := c.Get(c.t.Context(), client.ObjectKey{Name: node}, &found); err != nil {
		c.t.Fatal(err)
	}
	return found
}

// on returns the Pods of a Node that are not to be deleted.
func (c *clusterWithNodes) on(node string) (on []corev1.Pod) {
	c.t.Helper()
	var pods corev1.PodList
	if err := c.List(c.t.Context(), &pods, client.InNamespace(c.namespace)); err != nil {
		c.t.Fatal(err)
	}
	for _, pod := range pods.Items {
		if pod.Spec.NodeName == node && pod.DeletionTimestamp == nil {
			on = append(on, pod)
		}
	}
	return on
}

// ready returns how many Pods of the Deployment are ready.
func (c *clusterWithNodes) ready() int {
	c.t.Helper()
	var d appsv1.Deployment
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: c.namespace, Name: "three"}, &d); err != nil {
		c.t.Fatal(err)
	}
	return int(d.Status.ReadyReplicas)
}

func (c *clusterWithNodes) await(what string, done func() bool) {
	c.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			c.t.Fatalf("it did not come to this within a minute: %s", what)
		}
	}
}
