package explore

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

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

// placeWith returns a place whose client does something else instead of some creations: whatever
// create does without calling the client that it gets.
func placeWith(t *testing.T, create func(context.Context, client.WithWatch, client.Object) error) *place {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	mapper := testrestmapper.TestOnlyStaticRESTMapper(scheme)
	return &place{client: fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(mapper).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, _ ...client.CreateOption) error {
			return create(ctx, c, object)
		},
	}).Build()}
}

// TestSubjectThatWasNotAnswered: the budget may end while a controller starts. The request may have
// been carried out all the same, and then the controller is stopped.
func TestSubjectThatWasNotAnswered(t *testing.T) {
	p := placeWith(t, func(ctx context.Context, c client.WithWatch, object client.Object) error {
		err := c.Create(ctx, object)
		if _, is := object.(*v1alpha1.Subject); is {
			return errors.Join(err, context.DeadlineExceeded)
		}
		return err
	})
	target := targetOf(t, "backup-any")
	target.Beside = nil
	if _, err := p.try(t.Context(), target, v1alpha1.TrialSpec{}, false, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	var left v1alpha1.SubjectList
	if err := p.client.List(t.Context(), &left); err != nil || len(left.Items) > 0 {
		t.Errorf("%d controllers are left, %v", len(left.Items), err)
	}
}

// TestWhatIsRefused: only an answer that would be the same the next time says that a profile does
// not fit. An API server that does not answer says nothing about it.
func TestWhatIsRefused(t *testing.T) {
	target := targetOf(t, "reference")
	if len(target.Beside) == 0 {
		t.Fatal("there is nothing beside the sample")
	}
	maps := corev1.Resource("configmaps")
	for name, tc := range map[string]struct {
		answer error
		is     bool
	}{
		"forbidden":     {apierrors.NewForbidden(maps, "x", nil), true},
		"invalid":       {apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("ConfigMap").GroupKind(), "x", nil), true},
		"a bad request": {apierrors.NewBadRequest("no"), true},
		"there already": {apierrors.NewAlreadyExists(maps, "x"), true},
		"not there":     {apierrors.NewNotFound(maps, "x"), true},
		"broken":        {apierrors.NewInternalError(errors.New("no etcd")), false},
		"too busy":      {apierrors.NewTooManyRequestsError("later"), false},
		"a time limit":  {apierrors.NewTimeoutError("late", 1), false},
		"interrupted":   {context.Canceled, false},
	} {
		p := placeWith(t, func(ctx context.Context, c client.WithWatch, object client.Object) error {
			if object.GetObjectKind().GroupVersionKind().Kind == "ConfigMap" {
				return tc.answer
			}
			return c.Create(ctx, object)
		})
		_, err := p.try(t.Context(), target, v1alpha1.TrialSpec{}, false, nil)
		var no refused
		if errors.As(err, &no) != tc.is || !errors.Is(err, tc.answer) {
			t.Errorf("%s: refused: %t, %v", name, errors.As(err, &no), err)
		}
	}
}
