package objects

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
)

// ender is an actor whose Pods stay until they have ended. It notes what is reported.
type ender struct {
	*actor
	fails    error
	reported []corev1.PodPhase
}

func (e *ender) End(_ context.Context, pod *corev1.Pod) error {
	e.calls = append(e.calls, "end "+string(pod.UID))
	return e.fails
}

func (e *ender) Reported(pod *corev1.Pod) { e.reported = append(e.reported, pod.Status.Phase) }

func newEnder(s *stage) *ender {
	e := &ender{actor: s.actor}
	s.server.actor = e
	return e
}

func TestAnObjectStaysUntilItHasEnded(t *testing.T) {
	s := newStage(t, pod("a"))
	e := newEnder(s)
	s.reconcile(t)
	got := &corev1.Pod{}
	if err := s.api.Get(t.Context(), demo, got); err != nil || !slices.Equal(got.Finalizers, []string{finalizer}) {
		t.Fatalf("finalizers %v, %v", got.Finalizers, err)
	}
	if err := s.api.Delete(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	e.fails = errors.New("it runs on")
	_, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: demo})
	if err == nil || err.Error() != "ending pod ns/demo: it runs on" {
		t.Errorf("error: %v", err)
	}
	s.isInForce(t, "where it did not end", "a")
	e.fails = nil
	s.reconcile(t)
	if err := s.api.Get(t.Context(), demo, got); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
	if diff := cmp.Diff([]string{"advance a", "end a", "end a", "remove"}, s.actor.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestWhatIsReported: only a status that the API server has stored is reported.
func TestWhatIsReported(t *testing.T) {
	s := newStage(t, pod("a"))
	e := newEnder(s)
	s.refuses = apierrors.NewConflict(corev1.Resource("pods"), "demo", errors.New("it is older"))
	s.reconcile(t)
	if len(e.reported) > 0 {
		t.Errorf("reported, though it was not written: %v", e.reported)
	}
	s.reconcile(t)
	s.reconcile(t) // nothing differs
	if diff := cmp.Diff([]corev1.PodPhase{corev1.PodRunning, corev1.PodRunning}, e.reported); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}
