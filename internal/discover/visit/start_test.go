package visit

import (
	"context"
	"errors"
	"io"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

// TestStartBarred: a controller that ends because the bench refused a cluster-scoped write,
// such as that of its own CRD, is looked at again with the right to it. validate does not look
// again: the profile says what it may write.
func TestStartBarred(t *testing.T) {
	for name, tc := range map[string]struct {
		note     string // of its write
		rehearse bool
		barred   bool
	}{
		"init":                            {history.NoteClusterScoped, true, true},
		"validate":                        {history.NoteClusterScoped, false, false},
		"its roles do not allow it":       {"its roles do not allow it", true, false},
		"it ends for a reason of its own": {"", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			recorder.Begin(history.Request{
				Scenario: Namespace, Verb: history.VerbUpdate, Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Name: "charts.example.com",
			}).Finish(func(q *history.Request) { q.Code, q.Effect, q.Note = 403, history.EffectRefused, tc.note })
			// The Subject ends as often as it is started.
			ended := interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
				if err := c.Get(ctx, key, object, options...); err != nil {
					return err
				}
				object.(*v1alpha1.Subject).Status.Replicas = []v1alpha1.ReplicaStatus{{Phase: v1alpha1.ReplicaExited, Restarts: 2}}
				return nil
			}}
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			v := &visitor{
				Plan:    Plan{Console: report.NewConsole(io.Discard), Profile: &profile.Profile{}, Rehearse: tc.rehearse},
				session: &runner.Session{Recorder: recorder},
				client:  fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(ended).Build(),
			}
			defer v.Console.Close()
			err := v.start(t.Context())
			var (
				barred    *Barred
				fruitless *Fruitless
			)
			if got := errors.As(err, &barred); got != tc.barred || got == errors.As(err, &fruitless) {
				t.Errorf("start = %v", err)
			}
		})
	}
}
