package disruption

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

func podOn(namespace, name, node string, owner ...metav1.OwnerReference) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, OwnerReferences: owner},
		Spec:       corev1.PodSpec{NodeName: node},
	}
}

// clusterWith returns a cluster with two Nodes. It refuses as many evictions as budget says,
// or all if that is negative. An evicted Pod is gone, and another one is on node-b.
func clusterWith(t *testing.T, budget int, pods ...*corev1.Pod) *fake.Clientset {
	t.Helper()
	objects := []runtime.Object{
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-b"}},
	}
	for _, pod := range pods {
		objects = append(objects, pod)
	}
	cluster := fake.NewClientset(objects...)
	cluster.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		if budget != 0 {
			budget--
			return true, nil, apierrors.NewTooManyRequestsError("the budget is used up")
		}
		node, err := cluster.Tracker().Get(corev1.SchemeGroupVersion.WithResource("nodes"), "", "node-a")
		if err != nil || !node.(*corev1.Node).Spec.Unschedulable {
			t.Errorf("evicted from a Node that takes new Pods: %v", err)
		}
		eviction := action.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
		resource := corev1.SchemeGroupVersion.WithResource("pods")
		if err := cluster.Tracker().Delete(resource, eviction.Namespace, eviction.Name); err != nil {
			t.Error(err)
		}
		return true, nil, cluster.Tracker().Create(resource, podOn(eviction.Namespace, eviction.Name+"-again", "node-b"), eviction.Namespace)
	})
	return cluster
}

// TestDrain checks who is evicted, and that the Node takes Pods afterwards, whatever happened.
func TestDrain(t *testing.T) {
	daemon := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "d", Controller: ptr.To(true)}
	pods := []*corev1.Pod{
		podOn("mine", "one", "node-b"), podOn("mine", "two", "node-a"), podOn("mine", "waits", ""),
		podOn("mine", "daemon", "node-a", daemon), podOn("other", "theirs", "node-a"),
	}
	for name, tc := range map[string]struct {
		namespace    string
		budget       int
		want, failed string
		left         []string
	}{
		"its own Pods go": {namespace: "mine", want: "node-a was drained: two evicted", left: []string{"daemon", "one", "two-again", "waits"}},
		"a budget delays": {namespace: "mine", budget: 2, want: "node-a was drained: two evicted", left: []string{"daemon", "one", "two-again", "waits"}},
		"a budget forbids": {
			namespace: "mine", budget: -1, failed: "the budget is used up", left: []string{"daemon", "one", "two", "waits"},
		},
		"no Pod is there": {namespace: "empty", failed: "no Pod that can be evicted runs in this namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := clusterWith(t, tc.budget, pods...)
			ctx, cancel := context.WithCancel(t.Context())
			if tc.budget < 0 {
				ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
			}
			defer cancel()
			got, err := (&Nodes{Cluster: cluster}).drain(ctx, tc.namespace)
			if got != tc.want || (err == nil) != (tc.failed == "") || err != nil && !strings.Contains(err.Error(), tc.failed) {
				t.Errorf("%q, %v", got, err)
			}
			list, err := cluster.CoreV1().Pods(tc.namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, pod := range list.Items {
				left = append(left, pod.Name)
			}
			if diff := cmp.Diff(tc.left, left); diff != "" {
				t.Errorf("Pods (-want +got):\n%s", diff)
			}
			if _, err := cluster.CoreV1().Pods("other").Get(t.Context(), "theirs", metav1.GetOptions{}); err != nil {
				t.Errorf("of another scenario: %v", err)
			}
			if node, err := cluster.CoreV1().Nodes().Get(t.Context(), "node-a", metav1.GetOptions{}); err != nil || node.Spec.Unschedulable {
				t.Errorf("it stays cordoned: %v", err)
			}
		})
	}
}

// TestCordonOfTwo: a Node stays cordoned until the last of two Drains has ended, whichever is the first.
func TestCordonOfTwo(t *testing.T) {
	cluster := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	nodes := &Nodes{Cluster: cluster}
	var got []bool
	look := func() {
		node, err := cluster.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, node.Spec.Unschedulable)
	}
	for range 2 { // the second time it begins anew
		var ends []func() error
		for range 2 {
			uncordon, err := nodes.cordon(t.Context(), "n")
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, uncordon)
			look()
		}
		for _, uncordon := range ends {
			if err := uncordon(); err != nil {
				t.Fatal(err)
			}
			look()
		}
	}
	if diff := cmp.Diff([]bool{true, true, true, false, true, true, true, false}, got); diff != "" {
		t.Errorf("cordoned (-want +got):\n%s", diff)
	}
}

// TestCordonOfOthers: a Node that somebody else has cordoned stays so.
func TestCordonOfOthers(t *testing.T) {
	cluster := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{Unschedulable: true}})
	uncordon, err := (&Nodes{Cluster: cluster}).cordon(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if err := uncordon(); err != nil {
		t.Error(err)
	}
	for _, action := range cluster.Actions() {
		if action.GetVerb() != "get" {
			t.Errorf("%s of a Node that others cordoned", action.GetVerb())
		}
	}
}
