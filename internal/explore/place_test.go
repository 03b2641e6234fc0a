package explore

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestSweepAfterAnInterruption: what a Trial leaves without a namespace is removed, also if only the
// recordings were ended, for want of time. The next Trial would find it.
func TestSweepAfterAnInterruption(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	whole, end := context.WithCancel(t.Context())
	recordings, interrupt := context.WithCancel(whole)
	interrupt()
	swept := 0
	p := &place{client: fake.NewClientBuilder().WithScheme(scheme).Build(), sweep: sweeping(whole, func(ctx context.Context, namespace string) error {
		if namespace == "explore-1" && ctx.Err() == nil {
			swept++
		}
		return ctx.Err()
	})}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "explore-1", Name: subjectName}}
	target := targetOf(t, "teams")
	if err := p.clear(recordings, target, subject); err != nil || swept != 1 {
		t.Errorf("after an interruption of the recordings: swept %d times, %v", swept, err)
	}
	end()
	if err := p.clear(recordings, target, subject); err != nil || swept != 1 {
		t.Errorf("after an interruption of all: swept %d times, %v", swept, err)
	}
}
