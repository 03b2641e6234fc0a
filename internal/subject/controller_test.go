package subject

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/sandbox"
)

// TestReplicasWithoutIdentities: a Subject that asks for two, where they would be
// one and the same, says that it cannot be.
func TestReplicasWithoutIdentities(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	asked := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}, Spec: v1alpha1.SubjectSpec{Replicas: 2}}
	s := &Controller{
		Environment: Environment{Launcher: sandbox.NewPlainLauncher("the test says so")},
		Client:      fake.NewClientBuilder().WithScheme(scheme).WithObjects(asked).WithStatusSubresource(asked).Build(),
	}
	key := client.ObjectKeyFromObject(asked)
	want := "spec.replicas: 2 is too many: this machine cannot give two replicas identities of their own: no namespaces (the test says so)"
	if _, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Reconcile: %v, want %s", err, want)
	}
	found := &v1alpha1.Subject{}
	if err := s.Client.Get(t.Context(), key, found); err != nil {
		t.Fatal(err)
	}
	if found.Status.Message != want || len(found.Status.Replicas) != 0 {
		t.Errorf("status: %+v, want the message %s", found.Status, want)
	}
}
