package metrics

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

func pod(name, cpu string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, Labels: map[string]string{"app": name}, Annotations: map[string]string{CPUAnnotation: cpu}},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "first"}, {Name: "sidecar", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}},
			Containers:     []corev1.Container{{Name: "app"}, {Name: "other"}},
		},
		Status: corev1.PodStatus{Phase: phase},
	}
}

// TestUsage: the annotations of a running Pod say how much it uses.
func TestUsage(t *testing.T) {
	handler := NewHandler(fake.NewClientset(pod("busy", "250m", corev1.PodRunning), pod("idle", "", corev1.PodRunning), pod("over", "1", corev1.PodSucceeded)))
	used := func(m podMetrics) string {
		var all []string
		for _, c := range m.Containers {
			all = append(all, c.Name+" "+c.Usage.Cpu().String()+" "+c.Usage.Memory().String())
		}
		return m.Name + ": " + strings.Join(all, ", ")
	}
	for path, want := range map[string][]string{
		"/pods":              {"busy: app 250m 0, other 0 0, sidecar 0 0", "idle: app 0 0, other 0 0, sidecar 0 0"},
		"/namespaces/a/pods": {"busy: app 250m 0, other 0 0, sidecar 0 0", "idle: app 0 0, other 0 0, sidecar 0 0"},
		"/namespaces/a/pods?labelSelector=app=idle": {"idle: app 0 0, other 0 0, sidecar 0 0"},
		"/namespaces/b/pods":                        nil,
	} {
		var list podMetricsList
		get(t, handler, path, http.StatusOK, &list)
		var got []string
		for _, m := range list.Items {
			got = append(got, used(m))
		}
		if diff := cmp.Diff(want, got); diff != "" || list.Items == nil {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	var one podMetrics
	get(t, handler, "/namespaces/a/pods/busy", http.StatusOK, &one)
	if got, want := used(one), "busy: app 250m 0, other 0 0, sidecar 0 0"; got != want {
		t.Errorf("one Pod: %s, want %s", got, want)
	}
}

// TestSelectors: the selectors of a request choose the Pods.
func TestSelectors(t *testing.T) {
	cluster := fake.NewClientset()
	var list podMetricsList
	get(t, NewHandler(cluster), "/namespaces/a/pods?labelSelector=app%3Didle&fieldSelector=spec.nodeName%3Dnode-1", http.StatusOK, &list)
	got := cluster.Actions()[0].(clienttesting.ListAction).GetListRestrictions()
	if got.Labels.String() != "app=idle" || got.Fields.String() != "spec.nodeName=node-1" {
		t.Errorf("chosen by the labels %s and the fields %s", got.Labels, got.Fields)
	}
}

// TestRefusals: what the server cannot answer is an error that Kubernetes' clients
// understand.
func TestRefusals(t *testing.T) {
	handler := NewHandler(fake.NewClientset(pod("odd", "much", corev1.PodRunning), pod("over", "1", corev1.PodFailed)))
	for path, want := range map[string]metav1.Status{
		"/namespaces/a/pods/none": {Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: `pods "none" not found`},
		"/namespaces/a/pods/over": {Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: `pods.metrics "over" not found`},
		"/namespaces/a/pods/odd": {
			Code: http.StatusBadRequest, Reason: metav1.StatusReasonBadRequest,
			Message: "the annotation reconform.dev/cpu of the Pod a/odd is \"much\", which is not a quantity such as 250m or 64Mi: ",
		},
	} {
		var got metav1.Status
		get(t, handler, path, int(want.Code), &got)
		if got.Reason != want.Reason || !strings.HasPrefix(got.Message, want.Message) || got.Kind != "Status" {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

func get(t *testing.T, handler http.Handler, path string, code int, into any) {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, basePath+path, nil))
	if answer.Code != code {
		t.Errorf("%s: status %d, want %d: %s", path, answer.Code, code, answer.Body)
	}
	if err := json.Unmarshal(answer.Body.Bytes(), into); err != nil {
		t.Error(err)
	}
}
