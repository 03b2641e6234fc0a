package subject

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/sandbox"
)

// TestReplicasWithoutIdentities: a Subject that asks for two, where they would be
// one and the same, says that it cannot be.
func TestReplicasWithoutIdentities(t *testing.T) {
	asked := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}, Spec: v1alpha1.SubjectSpec{Replicas: 2}}
	s := &Controller{Environment: Environment{Launcher: sandbox.NewPlainLauncher("the test says so")}}
	want := "spec.replicas: 2 is too many: this machine cannot give two replicas identities of their own: no namespaces (the test says so)"
	if _, err := s.Advance(t.Context(), asked); err == nil || err.Error() != want {
		t.Errorf("Advance: %v, want %s", err, want)
	}
	if asked.Status.Message != want || len(asked.Status.Replicas) != 0 {
		t.Errorf("status: %+v, want the message %s", asked.Status, want)
	}
}

// TestStatusIsReported: what changed after the status was made is in none that can be
// read.
func TestStatusIsReported(t *testing.T) {
	asked := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject", UID: "one"}}
	present := &instance{subject: asked}
	s := &Controller{instances: map[types.NamespacedName]*instance{{Namespace: "ns", Name: "subject"}: present}}
	present.changes.Store(3)
	present.told.Store(2)
	other := asked.DeepCopy()
	other.UID = "two"
	s.Reported(other)
	if got := present.reported.Load(); got != 0 {
		t.Errorf("reported by another Subject of that name: %d", got)
	}
	s.Reported(asked)
	if got := present.reported.Load(); got != 2 {
		t.Errorf("reported: %d, want 2", got)
	}
}
