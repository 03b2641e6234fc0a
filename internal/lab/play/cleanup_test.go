package play

import (
	"errors"
	"testing"

	"k8s.io/client-go/kubernetes/fake"
)

// TestFinalizersOfGone: a Deployment that the controller has removed is the controller's doing,
// and ends no check.
func TestFinalizersOfGone(t *testing.T) {
	s := &stage{kube: fake.NewClientset(), namespace: "default"}
	if err := s.finalizers(t.Context(), "demo", none); err != nil {
		t.Errorf("taking finalizers off a Deployment that is gone: %v", err)
	}
	var not *unmet
	if err := s.finalizers(t.Context(), "demo", elsewhere); !errors.As(err, &not) || !not.early {
		t.Errorf("putting a finalizer on a Deployment that is gone: %v, want that it is unmet early", err)
	}
}
