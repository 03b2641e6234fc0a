package webapp

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// fixture is a reconciler before an API server that holds objects, notes writes
// and can misbehave.
type fixture struct {
	*Reconciler
	api    client.Client
	events *events.FakeRecorder

	writes []string        // what was asked for, refused or not
	blind  bool            // the cache shows no Deployments
	late   *v1beta1.WebApp // what the cache shows of demo; nil if it is up to date
	refuse error           // answers writes of Deployments
}

func newFixture(t *testing.T, objects ...client.Object) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	counters, err := newTotals(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1beta1.WebApp{}, &appsv1.Deployment{}).Build()
	f := &fixture{api: api, events: events.NewFakeRecorder(100)}
	f.Reconciler = &Reconciler{
		client: interceptor.NewClient(api, f.interceptors()),
		live:   api,
		events: f.events,
		totals: counters,
	}
	return f
}

func (f *fixture) interceptors() interceptor.Funcs {
	write := func(verb string, obj client.Object) error {
		gvk, err := f.api.GroupVersionKindFor(obj)
		if err != nil {
			return err
		}
		f.writes = append(f.writes, verb+" "+gvk.Kind)
		if gvk.Kind == "Deployment" {
			return f.refuse
		}
		return nil
	}
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, is := obj.(*appsv1.Deployment); is && f.blind {
				return apierrors.NewNotFound(schema.GroupResource{Resource: "deployments"}, key.Name)
			}
			if app, is := obj.(*v1beta1.WebApp); is && f.late != nil {
				f.late.DeepCopyInto(app)
				return nil
			}
			return c.Get(ctx, key, obj, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			if err := write("create", obj); err != nil {
				return err
			}
			return c.Create(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if err := write("patch", obj); err != nil {
				return err
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := write("patch "+sub+" of", obj); err != nil {
				return err
			}
			return c.SubResource(sub).Patch(ctx, obj, patch, opts...)
		},
	}
}

// reconcile reconciles demo and returns the error, the writes and the events.
func (f *fixture) reconcile(t *testing.T) (writes, recorded []string, err error) {
	t.Helper()
	f.writes = nil
	_, err = f.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(demo())})
	for {
		select {
		case e := <-f.events.Events:
			recorded = append(recorded, e)
			continue
		default:
		}
		return f.writes, recorded, err
	}
}

// settle reconciles demo until nothing is left to write.
func (f *fixture) settle(t *testing.T) {
	t.Helper()
	for range 3 {
		if _, _, err := f.reconcile(t); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.writes) > 0 {
		t.Fatalf("it does not settle: %v", f.writes)
	}
}

// status returns demo's status.
func (f *fixture) status(t *testing.T) v1beta1.WebAppStatus {
	t.Helper()
	app := demo()
	if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		t.Fatal(err)
	}
	return app.Status
}
