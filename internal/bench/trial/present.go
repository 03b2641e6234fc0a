package trial

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// awaitChild waits until the child that an operation is about exists, and the subject is quiet
// again. On a busy machine, a subject may be quiet before it begins to create it. It returns true if
// the subject does not become quiet. If the child does not come, the operation fails and says so.
func (r *run) awaitChild(ctx context.Context, o operation) (restless bool, err error) {
	if o.DeleteChild == nil && o.Drift == nil && o.Foreground == nil {
		return false, nil
	}
	came := false
	err = r.await(ctx, r.within, o.name+" is there", func(ctx context.Context) (bool, error) {
		there, err := r.isThere(ctx, o)
		came = came || !there
		return there, err
	})
	if err != nil || !came {
		return false, ignore(err, isLate)
	}
	return r.rest(ctx)
}

// isThere says whether the object that an operation is about exists.
func (r *run) isThere(ctx context.Context, o operation) (bool, error) {
	name, err := r.find(ctx, o)
	if err == nil {
		_, err = r.resourceOf(o).Get(ctx, name, metav1.GetOptions{})
	}
	return err == nil, ignore(err, apierrors.IsNotFound)
}

// lacks says whether an operation failed because the subject has not created the child that it is
// about, and notes that as a divergence. It is one only if an operation before it was disturbed.
func (r *run) lacks(o operation, at int, err error) bool {
	if o.DeleteChild == nil && o.Drift == nil || !apierrors.IsNotFound(err) || !r.armed || at <= r.disturbance.from {
		return false
	}
	r.divergences = append(r.divergences, v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: o.resource.GroupResource().String() + " " + o.name})
	return true
}
