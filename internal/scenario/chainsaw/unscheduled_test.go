package chainsaw

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	enginecontext "github.com/kyverno/chainsaw/pkg/runner/context"
	"github.com/kyverno/chainsaw/pkg/runner/operations"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"
)

// noNode is what the scheduler writes into a Pod that has had no Node for a time.
func noNode(name string, ago time.Duration) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: "0/1 nodes are available: no claim", LastTransitionTime: metav1.NewTime(time.Now().Add(-ago)),
	}}}}
}

// withClaims returns the Pod with these claims.
func withClaims(pod corev1.Pod, claims ...string) corev1.Pod {
	pod.Namespace = "ns"
	for _, name := range claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}})
	}
	return pod
}

func claim(class string, phase corev1.PersistentVolumeClaimPhase) corev1.PersistentVolumeClaim {
	return corev1.PersistentVolumeClaim{
		Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class}, Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
	}
}

// serveDeployment is an API server with a Deployment in the namespace ns, whose Pods are
// not ready, and with these Pods.
func serveDeployment(t *testing.T, pods ...corev1.Pod) *rest.Config {
	t.Helper()
	version := metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body any
		switch r.URL.Path {
		case "/api":
			body = metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
		case "/apis":
			body = metav1.APIGroupList{Groups: []metav1.APIGroup{{Name: "apps", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}}}
		case "/apis/apps/v1":
			body = metav1.APIResourceList{GroupVersion: version.GroupVersion, APIResources: []metav1.APIResource{
				{Name: "deployments", SingularName: "deployment", Namespaced: true, Kind: "Deployment"},
			}}
		case "/apis/apps/v1/namespaces/ns/deployments/demo":
			body = json.RawMessage(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "ns", "name": "demo"}, "spec": {"replicas": 2}, "status": {"replicas": 2}}`)
		case "/api/v1/namespaces/ns/pods":
			if r.URL.Query().Get("fieldSelector") != "spec.nodeName=" {
				t.Errorf("Pods are listed by %q", r.URL.RawQuery)
			}
			body = corev1.PodList{Items: pods}
		case "/api/v1/namespaces/ns/persistentvolumeclaims/data-demo-0", "/api/v1/namespaces/ns/persistentvolumeclaims/demo-0-data":
			body = claim("standard", corev1.ClaimPending)
		case "/api/v1/namespaces/ns/persistentvolumeclaims/lost":
			body = claim("misspelt", corev1.ClaimPending)
		case "/api/v1/namespaces/ns/persistentvolumeclaims/bound":
			body = claim("misspelt", corev1.ClaimBound)
		case "/apis/storage.k8s.io/v1/storageclasses/standard":
			body = storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
		default:
			w.WriteHeader(http.StatusNotFound)
			body = metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

// TestPodWithoutNode: Chainsaw's own asserts wait for Pods that cannot be scheduled.
func TestPodWithoutNode(t *testing.T) {
	const (
		words = "Pod demo-0 cannot be scheduled: 0/1 nodes are available: no claim"
		ready = "status: {readyReplicas: 2}"
		other = "spec: {replicas: 3}"
	)
	deleted, gated := noNode("demo-0", time.Hour), noNode("demo-0", time.Hour)
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	gated.Status.Conditions[0].Reason = corev1.PodReasonSchedulingGated
	boundSince := withClaims(noNode("demo-0", time.Minute), "bound")
	boundSince.Status.Conditions[0].Message = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
	ephemeral := withClaims(noNode("demo-0", time.Minute)) // the volume of a claim that Kubernetes makes for the Pod
	ephemeral.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	for name, tc := range map[string]struct {
		expected string
		pods     []corev1.Pod
		final    bool
		ends     bool // before its time
		known    bool // that a Pod had no Node
	}{
		"ready Pods, and one without a Node":                  {ready, []corev1.Pod{noNode("demo-0", time.Hour)}, true, true, true},
		"ready Pods, on nodes with others":                    {ready, []corev1.Pod{noNode("demo-0", time.Hour)}, false, false, true},
		"something else, and one without a Node":              {other, []corev1.Pod{noNode("demo-0", time.Hour)}, true, false, true},
		"ready Pods, which all have a Node":                   {ready, nil, true, false, false},
		"ready Pods, and one that has only come":              {ready, []corev1.Pod{noNode("demo-0", -time.Hour)}, true, false, false},
		"ready Pods, and one that is going":                   {ready, []corev1.Pod{deleted}, true, false, false},
		"ready Pods, and one whose claim is being bound":      {ready, []corev1.Pod{withClaims(noNode("demo-0", time.Minute), "data-demo-0")}, true, false, false},
		"ready Pods, and one whose volume is being made":      {ready, []corev1.Pod{ephemeral}, true, false, false},
		"ready Pods, and one whose claim is never bound":      {ready, []corev1.Pod{withClaims(noNode("demo-0", time.Hour), "data-demo-0")}, true, true, true},
		"ready Pods, and one whose claim has no class":        {ready, []corev1.Pod{withClaims(noNode("demo-0", time.Minute), "data-demo-0", "lost")}, true, true, true},
		"ready Pods, and one whose claim does not exist":      {ready, []corev1.Pod{withClaims(noNode("demo-0", time.Minute), "gone")}, true, true, true},
		"ready Pods, and one without a Node, with its volume": {ready, []corev1.Pod{withClaims(noNode("demo-0", time.Minute), "bound")}, true, true, true},
		"ready Pods, and one whose claim has just been bound": {ready, []corev1.Pod{boundSince}, true, false, false},
		"ready Pods, and one that is not yet free":            {ready, []corev1.Pod{gated}, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := &v1alpha1.Test{}
			assert := "assert: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {namespace: ns, name: demo}, " + tc.expected + "}}"
			if err := yaml.Unmarshal([]byte("spec: {steps: [{try: [{"+assert+"}]}]}"), test); err != nil {
				t.Fatal(err)
			}
			readJudged(test)
			found := &verdicts{}
			runner, err := withClusters(enginecontext.EmptyContext(clock.RealClock{}), serveDeployment(t, tc.pods...), 0,
				&scheduling{told: found, patience: 100 * time.Millisecond, binding: 10 * time.Minute, final: tc.final}, newGate(io.Discard))
			if err != nil {
				t.Fatal(err)
			}
			limit := &metav1.Duration{Duration: 2 * time.Second}
			if tc.ends {
				limit.Duration = time.Minute
			}
			runner = runner.WithTimeouts(v1alpha1.Timeouts{Assert: limit})
			began := time.Now()
			_, actions, err := operations.TryOperation(t.Context(), runner, test.Spec.Steps[0].Try[0], nil)
			for _, action := range actions {
				_, failed := action.Execute(t.Context(), runner)
				err = errors.Join(err, failed)
			}
			if err == nil || time.Since(began) > 50*time.Second {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
			verdict := found.between("ns", began, time.Now())
			want := told{}
			if tc.known {
				want.unscheduled = words
			}
			if tc.ends {
				want.message = words
			}
			if got := fmt.Sprintf("%+v", verdict); got != fmt.Sprintf("%+v", want) {
				t.Errorf("known: %s, want %+v", got, want)
			}
		})
	}
}

func TestNamespaceOf(t *testing.T) {
	for path, want := range map[string]string{
		"/apis/apps/v1/namespaces/ns/deployments/demo": "ns", "/api/v1/namespaces/ns/pods": "ns", "/k8s/x/api/v1/namespaces/ns/pods": "ns",
		"/api/v1/namespaces/ns": "", "/api/v1/namespaces": "", "/api/v1/nodes/namespaces": "", "/version": "",
	} {
		if got := namespaceOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := before("/k8s/x/apis/apps/v1/namespaces/ns/deployments"); got != "/k8s/x" {
		t.Errorf("the server's path is %q", got)
	}
}
