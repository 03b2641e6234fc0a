package disruption

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestCheckNodes(t *testing.T) {
	for name, tc := range map[string]struct {
		spec   v1alpha1.DisruptionSpec
		theirs bool
		want   string
	}{
		"a drain":               {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionDrain, Target: v1alpha1.TargetAll}},
		"a drain of theirs":     {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionDrain}, theirs: true},
		"another action":        {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionKill, Target: v1alpha1.TargetLeader}, theirs: true},
		"a loss":                {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionLoseNode, Target: v1alpha1.TargetAll}},
		"a loss of theirs":      {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionLoseNode}, theirs: true, want: "LoseNode makes and changes Nodes, and those of this cluster are yours"},
		"more Nodes for theirs": {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionOwnNodes}, theirs: true, want: "those of this cluster are yours"},
		"of a replica":          {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionDrain, Target: "subject-0"}, want: `spec.target: "subject-0"`},
		"during a request":      {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionFailNode, While: &v1alpha1.RequestMatch{}}, want: "spec.while and spec.expect"},
		"with an end to it":     {spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionDrain, Expect: &v1alpha1.EndExpectation{}}, want: "spec.while and spec.expect"},
	} {
		err := (&Nodes{Theirs: tc.theirs}).check(tc.spec)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnNodes: the Pods of a namespace with Nodes of its own are moved to these Nodes,
// and no other Pods are.
func TestOwnNodes(t *testing.T) {
	shared := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node-a", Labels: map[string]string{corev1.LabelHostname: "node-a", corev1.LabelTopologyZone: "zone-a"}},
		Status:     corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.1"}}},
	}
	cluster := fake.NewClientset(shared, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "mine"}},
		podOn("mine", "one", "node-a"), podOn("other", "theirs", "node-a"))
	pods, nodes := corev1.SchemeGroupVersion.WithResource("pods"), corev1.SchemeGroupVersion.WithResource("nodes")
	placed := func(name, node string) *corev1.Pod {
		pod := podOn("mine", name, node)
		pod.Spec.NodeSelector = map[string]string{v1alpha1.LabelOwnNodes: "mine"}
		return pod
	}
	cluster.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return true, placed("is-the-webhook-asked", ""), nil // a dry run, which the Placer has changed
		}
		if err := cluster.Tracker().Delete(pods, "mine", "one"); err != nil {
			t.Error(err)
		}
		return true, nil, cluster.Tracker().Create(pods, placed("two", "node-a-of-mine"), "mine")
	})
	// As kwok does.
	cluster.PrependReactor("create", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		node := action.(clienttesting.CreateAction).GetObject().(*corev1.Node)
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		return false, nil, nil
	})
	for range 2 { // the second time it finds all as it should be
		if _, err := (&Nodes{Cluster: cluster}).own(t.Context(), "mine"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := cluster.Tracker().Get(nodes, "", "node-a-of-mine")
	if err != nil {
		t.Fatal(err)
	}
	node := got.(*corev1.Node)
	want := map[string]string{corev1.LabelHostname: "node-a", corev1.LabelTopologyZone: "zone-a", v1alpha1.LabelOwnNodes: "mine"}
	if diff := cmp.Diff(want, node.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if !slices.Equal(node.Spec.Taints, []corev1.Taint{{Key: v1alpha1.LabelOwnNodes, Value: "mine", Effect: corev1.TaintEffectNoSchedule}}) {
		t.Errorf("taints %+v", node.Spec.Taints)
	}
	if _, err := cluster.Tracker().Get(nodes, "", "node-a-of-mine-of-mine"); err == nil {
		t.Error("a Node of its own was copied")
	}
	if _, labelled := shared.Labels[v1alpha1.LabelOwnNodes]; labelled {
		t.Error("the model was changed")
	}
	if _, err := cluster.Tracker().Get(pods, "other", "theirs"); err != nil {
		t.Errorf("of another namespace: %v", err)
	}
}

// TestSharedNodesAreSpared: without Nodes of its own, nothing happens to a Node.
func TestSharedNodesAreSpared(t *testing.T) {
	for _, action := range []v1alpha1.DisruptionAction{v1alpha1.ActionCordonNode, v1alpha1.ActionFailNode, v1alpha1.ActionLoseNode, v1alpha1.ActionRetireNode} {
		cluster := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a"}}, podOn("mine", "one", "node-a"))
		if _, err := (&Nodes{Cluster: cluster}).action(action)(t.Context(), "mine"); err == nil || !strings.Contains(err.Error(), "Node of its own") {
			t.Errorf("%s: %v", action, err)
		}
		for _, done := range cluster.Actions() {
			if done.GetVerb() != "list" {
				t.Errorf("%s: %s of %s", action, done.GetVerb(), done.GetResource().Resource)
			}
		}
	}
}

func TestPlacer(t *testing.T) {
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
		"spec":{"future":{"size":1},"nodeSelector":{"disk":"ssd"},"tolerations":[{"key":"k","effect":"NoExecute","tolerationSeconds":300}]}}`
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Namespace: "mine", Object: runtime.RawExtension{Raw: []byte(pod)}}}
	response := Placer{}.Handle(t.Context(), request)
	if !response.Allowed {
		t.Fatalf("refused: %v", response.Result)
	}
	var got []string
	for _, patch := range response.Patches {
		got = append(got, patch.Json())
	}
	slices.Sort(got)
	want := []string{
		`{"op":"add","path":"/spec/nodeSelector/reconform.dev~1own-nodes","value":"mine"}`,
		`{"op":"add","path":"/spec/tolerations/1","value":{"effect":"NoSchedule","key":"reconform.dev/own-nodes","operator":"Equal","value":"mine"}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	request.Object.Raw = json.RawMessage(`{"spec":{"tolerations":"all"}}`)
	if (Placer{}).Handle(t.Context(), request).Allowed {
		t.Error("not a Pod, and allowed")
	}
}
