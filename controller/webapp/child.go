package webapp

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// errCacheBehind says that there is a child that the cache does not show yet. It is
// retried, because a child that is deleted before the cache shows it may cause no
// event.
var errCacheBehind = errors.New("the cache does not show it yet")

// ensure makes the child named like app as shape wants it, and returns its new state,
// even with an error. It returns nil if app has no such child: the name is taken, or
// the child will be gone soon.
//
// kind is the child's kind, and obj an empty object of it.
func ensure[T client.Object](ctx context.Context, r *Reconciler, app *v1beta1.WebApp, kind string,
	obj T, shape func(T) changes,
) (T, error) {
	var none T
	err := r.client.Get(ctx, client.ObjectKeyFromObject(app), obj)
	if apierrors.IsNotFound(err) {
		created := obj.DeepCopyObject().(T)
		shape(created)
		err = r.create(ctx, app, kind, created)
		if err == nil {
			return created, nil
		}
		if !apierrors.IsAlreadyExists(err) {
			return none, err
		}
		// The cache does not know what is in the way: ask the API server.
		err = r.live.Get(ctx, client.ObjectKeyFromObject(app), obj)
		if err == nil && (metav1.IsControlledBy(obj, app) || leaving(obj, app)) {
			err = errCacheBehind
		}
	}
	switch {
	case err != nil:
		return none, fmt.Errorf("reading %s %s: %w", kind, app.Name, err)
	case leaving(obj, app):
		return none, nil // The end of its deletion causes the next reconcile.
	case !metav1.IsControlledBy(obj, app):
		return none, &problem{
			reason:  ReasonNameConflict,
			message: fmt.Sprintf("%s %s exists and is not controlled by this WebApp", kind, app.Name),
		}
	}

	before := obj.DeepCopyObject().(T)
	changed := shape(obj)
	if len(changed) == 0 {
		return obj, nil
	}
	// The patch replaces whole lists, containers among them. With the lock, the API
	// server refuses it if others have changed the object since the cache saw it.
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.client.Patch(ctx, obj, patch); err != nil {
		return before, refusal(err, ReasonUpdateFailed, fmt.Sprintf("updating %s %s", kind, app.Name))
	}
	r.events.Eventf(app, obj, corev1.EventTypeNormal, kind+"Updated", "Update", "Updated %s %s: %s", kind, app.Name, changed)
	return obj, nil
}

// create makes the child. Its owner reference lets the garbage collector remove
// it with app.
func (r *Reconciler) create(ctx context.Context, app *v1beta1.WebApp, kind string, obj client.Object) error {
	obj.SetName(app.Name)
	obj.SetNamespace(app.Namespace)
	if err := controllerutil.SetControllerReference(app, obj, r.client.Scheme()); err != nil {
		return fmt.Errorf("owning %s %s: %w", kind, app.Name, err)
	}
	if err := r.client.Create(ctx, obj); err != nil {
		return refusal(err, ReasonCreateFailed, fmt.Sprintf("creating %s %s", kind, app.Name))
	}
	r.events.Eventf(app, obj, corev1.EventTypeNormal, kind+"Created", "Create", "Created %s %s", kind, app.Name)
	return nil
}

// leaving tells whether obj will be gone soon: it is being deleted, or belongs to an
// earlier WebApp of the same name, so that the garbage collector removes it.
func leaving(obj client.Object, app *v1beta1.WebApp) bool {
	if obj.GetDeletionTimestamp() != nil {
		return true
	}
	owner := metav1.GetControllerOf(obj)
	return owner != nil && owner.UID != app.UID && owner.Kind == "WebApp" &&
		owner.APIVersion == v1beta1.GroupVersion.String() && owner.Name == app.Name
}
