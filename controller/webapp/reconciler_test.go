package webapp

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"reconform.dev/reconform/controller/api/v1beta1"
)

func TestReconcileFromNothing(t *testing.T) {
	f := newFixture(t, demo())
	writes, recorded, err := f.reconcile(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"create Deployment", "create Service", "patch status of WebApp"}, writes); diff != "" {
		t.Errorf("writes differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Normal DeploymentCreated Created Deployment demo", "Normal ServiceCreated Created Service demo"}, recorded); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
	for _, child := range []client.Object{&appsv1.Deployment{}, &corev1.Service{}} {
		if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(demo()), child); err != nil {
			t.Fatal(err)
		}
		if !metav1.IsControlledBy(child, demo()) {
			t.Errorf("%T is not controlled by the WebApp: %v", child, child.GetOwnerReferences())
		}
	}
	if phase := f.status(t).Phase; phase != v1beta1.PhasePending {
		t.Errorf("phase %s, want Pending", phase)
	}
	if writes, recorded, err := f.reconcile(t); len(writes)+len(recorded) > 0 || err != nil {
		t.Errorf("the second time: writes %v, events %v, error %v", writes, recorded, err)
	}
}

func TestReconcileLeavesAlone(t *testing.T) {
	stranger := func(owners ...metav1.OwnerReference) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: "test", OwnerReferences: owners}}
	}
	predecessor := metav1.OwnerReference{
		APIVersion: "apps.kubedojo.io/v1beta1", Kind: "WebApp", Name: "demo", UID: "old", Controller: new(true),
	}
	other := predecessor
	other.Kind = "Other"
	terminating := stranger()
	terminating.DeletionTimestamp, terminating.Finalizers = new(metav1.Now()), []string{"test.example/hold"}

	tests := map[string]struct {
		obj   *appsv1.Deployment
		blind bool
		phase v1beta1.Phase
		event []string
	}{
		"nobody's":               {stranger(), false, v1beta1.PhaseDegraded, []string{"Warning NameConflict Deployment demo exists and is not controlled by this WebApp"}},
		"another controller's":   {stranger(other), false, v1beta1.PhaseDegraded, []string{"Warning NameConflict Deployment demo exists and is not controlled by this WebApp"}},
		"not in the cache":       {stranger(other), true, v1beta1.PhaseDegraded, []string{"Warning NameConflict Deployment demo exists and is not controlled by this WebApp"}},
		"an earlier WebApp's":    {stranger(predecessor), false, v1beta1.PhasePending, nil},
		"one that is terminated": {terminating, false, v1beta1.PhasePending, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, demo(), tc.obj)
			f.blind = tc.blind
			before := &appsv1.Deployment{}
			if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(demo()), before); err != nil {
				t.Fatal(err)
			}

			_, recorded, err := f.reconcile(t)
			if conflict := tc.phase == v1beta1.PhaseDegraded; conflict != (err != nil) {
				t.Errorf("error %v, want one: %t", err, conflict)
			}
			if diff := cmp.Diff(append([]string{"Normal ServiceCreated Created Service demo"}, tc.event...), recorded); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
			if phase := f.status(t).Phase; phase != tc.phase {
				t.Errorf("phase %s, want %s", phase, tc.phase)
			}
			if _, recorded, _ := f.reconcile(t); len(recorded) > 0 {
				t.Errorf("recorded again: %v", recorded)
			}
			after := &appsv1.Deployment{}
			if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(demo()), after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("it was changed:\n%s", diff)
			}
		})
	}
}

func TestReconcileRecognisesItsOwn(t *testing.T) {
	f := newFixture(t, demo())
	f.settle(t)
	before := f.status(t)

	f.blind = true // as after a create whose answer was lost
	writes, recorded, err := f.reconcile(t)
	if !errors.Is(err, errCacheBehind) {
		t.Errorf("error %v, want %v", err, errCacheBehind)
	}
	if diff := cmp.Diff([]string{"create Deployment"}, writes); diff != "" || len(recorded) > 0 {
		t.Errorf("events %v, writes differ (-want +got):\n%s", recorded, diff)
	}
	if diff := cmp.Diff(before, f.status(t)); diff != "" {
		t.Errorf("status was changed:\n%s", diff)
	}
}

// TestReconcileKnowsItsOwnStatus: a Pod goes and comes back, so the new status equals
// the one that the cache still shows, although another one was written in between. The
// status must be written again.
func TestReconcileKnowsItsOwnStatus(t *testing.T) {
	f := newFixture(t, demo())
	f.settle(t)
	ready := func(n int32) {
		t.Helper()
		d := &appsv1.Deployment{}
		if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(demo()), d); err != nil {
			t.Fatal(err)
		}
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: n, AvailableReplicas: n}
		if err := f.api.Status().Update(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	cached := func() *v1beta1.WebApp {
		t.Helper()
		app := demo()
		if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			t.Fatal(err)
		}
		return app
	}
	ready(2)
	f.settle(t)
	f.late = cached()
	ready(1)
	if _, _, err := f.reconcile(t); err != nil || f.status(t).ReadyReplicas != 1 {
		t.Fatalf("%d are ready, %v", f.status(t).ReadyReplicas, err)
	}
	ready(2)
	if writes, _, err := f.reconcile(t); !errors.Is(err, errStatusBehind) || len(writes) > 0 {
		t.Errorf("wrote %v, error %v, want %v", writes, err, errStatusBehind)
	}
	f.late = nil
	f.settle(t)
	if got := f.status(t).ReadyReplicas; got != 2 {
		t.Errorf("%d are ready, want 2", got)
	}
	if len(f.statuses.versions) > 0 {
		t.Errorf("it still remembers %v", f.statuses.versions)
	}
}

func TestReconcileReportsRefusals(t *testing.T) {
	f := newFixture(t, demo())
	f.refuse = apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "demo", errors.New("policy"))
	_, recorded, err := f.reconcile(t)
	if !apierrors.IsForbidden(err) {
		t.Errorf("error %v, want the refusal", err)
	}
	message := `creating Deployment demo: deployments "demo" is forbidden: policy`
	if diff := cmp.Diff([]string{"Normal ServiceCreated Created Service demo", "Warning CreateFailed " + message}, recorded); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
	if !reported(&v1beta1.WebApp{Status: f.status(t)}, &problem{reason: ReasonCreateFailed, message: message}) {
		t.Errorf("not reported: %+v", f.status(t))
	}

	writes, recorded, err := f.reconcile(t)
	if err == nil || len(recorded) > 0 || !cmp.Equal(writes, []string{"create Deployment"}) {
		t.Errorf("the second time: writes %v, events %v, error %v", writes, recorded, err)
	}

	f.refuse = nil
	f.settle(t)
	if phase := f.status(t).Phase; phase != v1beta1.PhasePending {
		t.Errorf("phase %s once allowed, want Pending", phase)
	}
}

// The URL is that of the Service as it is, and not as it should be.
func TestReconcileReportsTheURLThatIsThere(t *testing.T) {
	f := newFixture(t, demo())
	f.settle(t)
	before := f.status(t).ServiceURL
	app := demo()
	if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		t.Fatal(err)
	}
	app.Spec.Port = 9090
	if err := f.api.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	refusal := apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "demo", errors.New("policy"))
	f.client = interceptor.NewClient(f.api.(client.WithWatch), interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if _, is := obj.(*corev1.Service); is {
				return refusal
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
	if _, _, err := f.reconcile(t); !apierrors.IsForbidden(err) {
		t.Fatalf("error %v, want the refusal", err)
	}
	if got := f.status(t); got.ServiceURL != before || got.Phase != v1beta1.PhaseDegraded {
		t.Errorf("phase %s, URL %s, want Degraded and still %s", got.Phase, got.ServiceURL, before)
	}
}

func TestReconcileDoesNotReportConflicts(t *testing.T) {
	f := newFixture(t, demo())
	f.settle(t)
	app := demo()
	if err := f.api.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		t.Fatal(err)
	}
	app.Spec.Image = "nginx:2"
	if err := f.api.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	f.refuse = apierrors.NewConflict(schema.GroupResource{Resource: "deployments"}, "demo", errors.New("modified"))
	writes, recorded, err := f.reconcile(t)
	if !apierrors.IsConflict(err) || len(recorded) > 0 || !cmp.Equal(writes, []string{"patch Deployment"}) {
		t.Errorf("writes %v, events %v, error %v", writes, recorded, err)
	}

	f.refuse = nil
	_, recorded, err = f.reconcile(t)
	if diff := cmp.Diff([]string{"Normal DeploymentUpdated Updated Deployment demo: image"}, recorded); diff != "" || err != nil {
		t.Errorf("error %v, events differ (-want +got):\n%s", err, diff)
	}
}

func TestReconcileEndsWithTheNamespace(t *testing.T) {
	f := newFixture(t, demo())
	refusal := apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "demo", errors.New("terminating"))
	refusal.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	f.refuse = refusal
	if _, recorded, err := f.reconcile(t); err != nil || len(recorded) > 1 {
		t.Errorf("events %v, error %v", recorded, err)
	}
}

func TestReconcileOfATerminatingWebApp(t *testing.T) {
	app := demo()
	app.DeletionTimestamp, app.Finalizers = new(metav1.Now()), []string{"test.example/hold"}
	f := newFixture(t, app)
	if writes, recorded, err := f.reconcile(t); len(writes)+len(recorded) > 0 || err != nil {
		t.Errorf("writes %v, events %v, error %v", writes, recorded, err)
	}
}

func TestReconcileOfAMissingWebApp(t *testing.T) {
	f := newFixture(t)
	if writes, recorded, err := f.reconcile(t); len(writes)+len(recorded) > 0 || err != nil {
		t.Errorf("writes %v, events %v, error %v", writes, recorded, err)
	}
}

func TestReconcileReportsAMissingConfigMap(t *testing.T) {
	app := demo()
	app.Spec.ConfigMapRef = &v1beta1.ConfigMapReference{Name: "settings"}
	f := newFixture(t, app)
	if _, _, err := f.reconcile(t); err != nil {
		t.Fatal(err)
	}
	if !reported(&v1beta1.WebApp{Status: f.status(t)}, &problem{reason: ReasonConfigMapNotFound, message: "ConfigMap settings does not exist"}) {
		t.Errorf("not reported: %+v", f.status(t))
	}
	if err := f.api.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "test"}}); err != nil {
		t.Fatal(err)
	}
	f.settle(t)
	if phase := f.status(t).Phase; phase != v1beta1.PhasePending {
		t.Errorf("phase %s once it is there, want Pending", phase)
	}
}

func TestSpecChanged(t *testing.T) {
	version := func(uid string, generation int64) *v1beta1.WebApp {
		app := demo()
		app.UID, app.Generation = types.UID(uid), generation
		return app
	}
	tests := map[string]struct {
		before, after *v1beta1.WebApp
		want          bool
	}{
		"status or metadata": {version("a", 1), version("a", 1), false},
		"spec":               {version("a", 1), version("a", 2), true},
		"another WebApp":     {version("a", 1), version("b", 1), true},
	}
	for name, tc := range tests {
		if got := specChanged().Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
