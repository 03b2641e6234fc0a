package snapshot

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// If the wait of a Snapshot is given up, the differences are final, and the message
// says that its time was not over.
func TestGiveUp(t *testing.T) {
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	c, objects, reader := controllerOf(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "demo"}, Data: map[string]string{"replicas": "4"}})
	named := func(name, compare string) *v1alpha1.Snapshot {
		return &v1alpha1.Snapshot{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name},
			Spec: v1alpha1.SnapshotSpec{
				Resources: []string{"configmaps"}, Compare: compare, Within: v1alpha1.TimeBound{Plus: metav1.Duration{Duration: 5 * time.Minute}},
			},
		}
	}
	advance := func(snapshot *v1alpha1.Snapshot) v1alpha1.SnapshotStatus {
		t.Helper()
		if _, err := c.Advance(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
		return snapshot.Status
	}
	before := named("before", "")
	advance(before)
	if err := reader.Create(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	changed := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "ns", "name": "demo"}, "data": map[string]any{"replicas": "2"},
	}}
	if _, err := objects.Resource(configMaps).Namespace("ns").Update(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	after := named("after", "before")
	if status := advance(after); !status.Verdict.IsPending() {
		t.Fatalf("at once it is %s: %s", status.Verdict, status.Message)
	}
	waiting := c.Waiting()
	if len(waiting) != 1 || waiting[0].Name != "after" || waiting[0].Left < 4*time.Minute || len(waiting[0].Details) != 1 ||
		!strings.Contains(waiting[0].Message, "the same as before within 5m0s; found: "+waiting[0].Details[0]) {
		t.Fatalf("waiting: %+v", waiting)
	}
	c.GiveUp(t.Context(), waiting[0].NamespacedName, "given up after 30s")
	if status := advance(after); status.Verdict != v1alpha1.JudgementNotMet || !strings.Contains(status.Message, "within 5m0s (given up after 30s); found: ") {
		t.Errorf("given up, it is %s: %s", status.Verdict, status.Message)
	}
	if waiting := c.Waiting(); len(waiting) > 0 {
		t.Errorf("given up, it still waits: %+v", waiting)
	}
}
