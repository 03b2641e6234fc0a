package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// HarmNotLetGo is the path of a Divergence: an object stays that was deleted, so its name is never
// free.
const HarmNotLetGo = "object that is not let go"

// showsBetween says whether a disturbance that begins with an operation comes into force in
// the middle of it: a stale read that begins with the end of an object shows the object while
// it is being deleted, which is the past that does most harm.
func (d *disturbance) showsBetween(o operation) bool {
	return o.Recreate != nil && d.Fault != nil && d.Fault.Stale != nil
}

// isInTheWayOf says whether a subject may not be able to let an object go before the disturbance
// ends: it may need the request that fails, or that waits for this operation, or not see the deletion.
func (d *disturbance) isInTheWayOf(o operation) bool {
	return d.Lasting || d.waitsFor(o) || d.Fault != nil && d.Fault.Watch != nil
}

// recreate deletes an object, and creates it again as soon as the name is free. What somebody
// else has marked is then let go. If the subject does not let the object go in time, a disturbance
// ends that is in its way. If it does not do so after that either, this is a divergence.
func (r *run) recreate(ctx context.Context, o operation) error {
	if err := r.removeFirst(ctx, o); err != nil {
		return err
	}
	if err := r.letGo(ctx, o); err != nil {
		return err
	}
	deleted, patience := time.Now(), refusedFor+r.within
	if r.spec.Undisturbed != nil {
		patience += r.within
	}
	err := r.await(ctx, patience, "the name is free", func(ctx context.Context) (bool, error) {
		if r.armed && r.disturbance.isInTheWayOf(o) && time.Since(deleted) >= refusedFor {
			if err := r.disarm(ctx); err != nil {
				return false, err
			}
		}
		err := r.create(ctx, o)
		return err == nil, ignore(err, apierrors.IsAlreadyExists)
	})
	if !isLate(err) || r.spec.Undisturbed == nil || r.mayRetryLater() {
		return err
	}
	return r.notLetGo(ctx, o, patience)
}

// notLetGo notes that an object that was deleted is still there.
func (r *run) notLetGo(ctx context.Context, o operation, after time.Duration) error {
	object, err := r.resourceOf(o).Get(ctx, o.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	r.divergences = append(r.divergences, v1alpha1.Divergence{
		Kind: v1alpha1.DivergenceHarm, Object: o.resource.GroupResource().String() + " " + o.name, Path: HarmNotLetGo, Expected: "it goes when it is deleted",
		Found: fmt.Sprintf("it is there %s later, with the finalizers %q", after, object.GetFinalizers()),
	})
	return nil
}

// removeFirst deletes the object that is to be created again. If the disturbance shows the
// moment after that, the subject stands still until it is in force: so its own finalizer is
// there in what it shows, too.
func (r *run) removeFirst(ctx context.Context, o operation) (err error) {
	if r.between {
		if err := r.disrupt(ctx, v1alpha1.DisruptionSpec{Target: v1alpha1.TargetAll, Action: v1alpha1.ActionPause}); err != nil {
			return err
		}
		defer func() {
			goesOn := r.disrupt(context.WithoutCancel(ctx), v1alpha1.DisruptionSpec{Target: v1alpha1.TargetAll, Action: v1alpha1.ActionResume})
			err = errors.Join(err, goesOn)
		}()
	}
	err = r.resourceOf(o).Delete(ctx, o.name, metav1.DeleteOptions{})
	if err := ignore(err, apierrors.IsNotFound); err != nil || !r.between {
		return err
	}
	return r.arm(ctx)
}

// letGo removes the finalizer that somebody else has added to an object, if there is one.
func (r *run) letGo(ctx context.Context, o operation) error {
	return r.await(ctx, r.within, o.name+" is let go", func(ctx context.Context) (bool, error) {
		object, err := r.resourceOf(o).Get(ctx, o.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		if err != nil || !slices.Contains(object.GetFinalizers(), ofOthers) {
			return err == nil, err
		}
		object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(), func(f string) bool { return f == ofOthers }))
		_, err = r.resourceOf(o).Update(ctx, object, metav1.UpdateOptions{FieldManager: fieldManager})
		return err == nil || apierrors.IsNotFound(err), ignore(ignore(err, apierrors.IsConflict), apierrors.IsNotFound)
	})
}
