package play

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/fake"
)

// TestFinalizersOfGone: a Deployment that the controller has removed is the controller's doing,
// and ends no check.
func TestFinalizersOfGone(t *testing.T) {
	s := &stage{client: fake.NewSimpleDynamicClient(runtime.NewScheme()), namespace: "default"}
	if err := s.finalizers(t.Context(), deployments, "demo", none); err != nil {
		t.Errorf("taking finalizers off a Deployment that is gone: %v", err)
	}
	var not *unmet
	if err := s.finalizers(t.Context(), deployments, "demo", elsewhere); !errors.As(err, &not) || !not.early {
		t.Errorf("putting a finalizer on a Deployment that is gone: %v, want that it is unmet early", err)
	}
}
