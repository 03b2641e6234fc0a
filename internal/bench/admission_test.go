package bench_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench"
)

// TestWebhookThatIsNotReached: an API server on another machine cannot reach the
// loopback address.
func TestWebhookThatIsNotReached(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ answer, want string }{
		"reached":     {`admission webhook "bench.reconform.dev" denied the request: no such resource`, ""},
		"not reached": {`failed calling webhook "bench.reconform.dev": connection refused`, "waiting for the API server to ask the admission webhook"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(interceptor.Funcs{
				Create: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
					if _, ok := object.(*v1alpha1.Fault); ok {
						return errors.New(tc.answer)
					}
					return c.Create(ctx, object, opts...)
				},
			}).Build()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			err := bench.Register(ctx, cluster, "https://127.0.0.1:1")
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.answer)) {
				t.Errorf("error: %v; want %q", err, tc.want)
			}
		})
	}
}
