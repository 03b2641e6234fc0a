package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestImage(t *testing.T) {
	for prefix, want := range map[string]string{
		"": "registry.example/reconform-pod:v1", "mine:5000": "mine:5000/reconform-pod:v1", "mine/team/": "mine/team/reconform-pod:v1",
	} {
		if got := Image(prefix); got != want {
			t.Errorf("with the prefix %q: %s, want %s", prefix, got, want)
		}
	}
}

// TestRest: the running Pods of a scenario are deleted in each of its namespaces, and
// in no other.
func TestRest(t *testing.T) {
	pod := func(namespace, node string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pod"}, Spec: corev1.PodSpec{NodeName: node}}
	}
	k := &Keeper{Client: fake.NewClientBuilder().WithObjects(
		pod("sh-001", "n"), pod("sh-001-b", "n"), pod("sh-001-c", ""), pod("sh-001-again", "n"), pod("sh-0012", "n"), pod("other", "n"),
	).Build()}
	k.Run("sh-001")
	if k.isIdle("sh-001") || k.isIdle("other") {
		t.Error("idle where Pods are to run, or nothing is said")
	}
	k.Run("sh-001-again")
	if err := k.Rest(t.Context(), "sh-001"); err != nil {
		t.Fatal(err)
	}
	var list corev1.PodList
	if err := k.Client.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, pod := range list.Items {
		left = append(left, pod.Namespace)
	}
	if diff := cmp.Diff([]string{"other", "sh-001-again", "sh-001-c", "sh-0012"}, left); diff != "" {
		t.Errorf("Pods left in (-want +got):\n%s", diff)
	}
}

func TestOnRealNodes(t *testing.T) {
	node := func(name, kubelet, containers string) *corev1.Node {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: kubelet, ContainerRuntimeVersion: containers}},
		}
	}
	for name, tc := range map[string]struct {
		nodes []*corev1.Node
		want  bool
	}{
		"none":                     {nil, false},
		"kwok's":                   {[]*corev1.Node{node("a", "kwok-v0.8.0", "kwok-v0.8.0")}, false},
		"the local one's":          {[]*corev1.Node{node("a", "v1.37.2", "kwok://0.8.0")}, false},
		"one that is not yet told": {[]*corev1.Node{node("a", "", "")}, false},
		"a real one":               {[]*corev1.Node{node("a", "v1.36.3", "containerd://2.1.3")}, true},
		"both":                     {[]*corev1.Node{node("a", "v1.37.2", "kwok://0.8.0"), node("b", "v1.36.3", "")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := kubernetesfake.NewClientset()
			for _, n := range tc.nodes {
				if _, err := cluster.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := OnRealNodes(t.Context(), cluster); err != nil || got != tc.want {
				t.Errorf("%t, %v, want %t", got, err, tc.want)
			}
		})
	}
}
