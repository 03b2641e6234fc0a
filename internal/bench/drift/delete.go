package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// mostInTurn is how many objects a Drift deletes, or changes, one after the other.
const mostInTurn = 12

// deleted is a child that was deleted.
type deleted struct {
	child
	owner types.UID
	// known are the objects of its resource that were there before.
	known map[types.UID]bool
}

// deleteAll deletes what the controller made for the object, one after the other, and waits
// until each is there again.
//
// A controller that does not watch a child makes it again later, when something else wakes it. So
// each child is deleted while everything else stands still. If it does not come back in time, but
// does because another child was deleted, or when the controller is restarted, then the
// controller wants it and has not noticed the deletion. What does not come back either way is
// made only once, such as a Secret with a password, and nothing is said about it.
func (r *run) deleteAll(ctx context.Context) error {
	owner, all, err := r.made(ctx)
	if err != nil {
		return err
	}
	// The workload comes last: its Pods cause events for some time after it is back.
	slices.SortStableFunc(all, func(a, b child) int { return r.rankOf(a) - r.rankOf(b) })
	var late []deleted
	err = r.inTurn(ctx, owner.GetUID(), all, "deleted", func(one child) error {
		gone, err := r.delete(ctx, owner.GetUID(), one)
		if err != nil || gone == nil {
			return err
		}
		back, err := r.awaitBack(ctx, []deleted{*gone}, r.within)
		if err != nil {
			return err
		}
		if len(back) == 0 {
			late = append(late, *gone)
			return nil
		}
		r.tell(one.String(), v1alpha1.DriftKept, "deleted, and back")
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.judgeLate(ctx, late); err != nil {
		return err
	}
	if r.status().Asked == 0 {
		return errors.New("the controller has made nothing for it that could be judged: nothing with an owner reference to it, or nothing that is made more than once")
	}
	return nil
}

// made returns the object, and what the controller made for it.
func (r *run) made(ctx context.Context) (owner *unstructured.Unstructured, all []child, err error) {
	owner, err = r.object.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, err = r.children.of(ctx, owner.GetUID())
	return owner, all, err
}

// inTurn does something to each of the children, while everything else stands still. Beyond the
// first ones it only tells that others had their turn.
func (r *run) inTurn(ctx context.Context, owner types.UID, all []child, done string, do func(child) error) error {
	for n, one := range all {
		if n >= mostInTurn {
			r.tell(one.String(), v1alpha1.DriftNotAsked, fmt.Sprintf("%d others were %s before", mostInTurn, done))
			continue
		}
		if err := r.steady(ctx, func(ctx context.Context) (string, error) { return r.everything(ctx, owner, all) }); err != nil {
			return err
		}
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}

// rankOf says which of several children is deleted first.
func (r *run) rankOf(one child) int {
	if one.resource.GroupResource().String() == r.workload {
		return 1
	}
	return 0
}

// everything stands for the state of the object and its children.
func (r *run) everything(ctx context.Context, owner types.UID, all []child) (string, error) {
	version, err := r.version(ctx)
	if err != nil {
		return "", err
	}
	versions, err := r.children.versions(ctx, owner, all)
	return version + "\n" + versions, err
}

// delete deletes one child. It returns nil if the child is not deleted: because it is gone
// already, or because that would say nothing.
func (r *run) delete(ctx context.Context, owner types.UID, one child) (*deleted, error) {
	there, err := r.children.owned(ctx, one.resource, owner)
	if err != nil {
		return nil, err
	}
	gone := &deleted{child: one, owner: owner, known: map[types.UID]bool{}}
	var now *unstructured.Unstructured
	for n := range there {
		gone.known[there[n].GetUID()] = true
		if there[n].GetUID() == one.uid {
			now = &there[n]
		}
	}
	if now == nil {
		return nil, nil // the controller has deleted it itself
	}
	if why := needNotReturn(now); why != "" {
		r.tell(one.String(), v1alpha1.DriftNotAsked, why)
		return nil, nil
	}
	r.ask(one.String())
	switch err := r.children.remove(ctx, one); {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err), refused(err):
		r.tell(one.String(), v1alpha1.DriftNotAsked, "the API server refuses to delete it: "+err.Error())
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("deleting %s: %w", one, err)
	}
	return gone, nil
}

// needNotReturn says why an object may stay away if it is deleted, or would not go at once. It
// returns "" if neither is so.
func needNotReturn(now *unstructured.Unstructured) string {
	if history.IsJob(now.GroupVersionKind()) && history.JobEnded(now.Object) {
		return "the Job has ended"
	}
	for _, finalizer := range now.GetFinalizers() {
		if strings.HasPrefix(finalizer, "kubernetes.io/") {
			return "Kubernetes holds it by the finalizer " + finalizer
		}
	}
	return ""
}

// awaitBack waits until deleted children are there again, and returns those that are when the
// time is over.
func (r *run) awaitBack(ctx context.Context, some []deleted, limit time.Duration) ([]deleted, error) {
	for end := time.Now().Add(limit); ; {
		back, err := r.back(ctx, some)
		if err != nil || len(back) == len(some) || time.Now().After(end) {
			return back, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// back returns those of some deleted children that are there again.
func (r *run) back(ctx context.Context, some []deleted) ([]deleted, error) {
	var back []deleted
	for _, one := range some {
		there, err := r.children.owned(ctx, one.resource, one.owner)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(there, one.isFollowedBy) {
			back = append(back, one)
		}
	}
	return back, nil
}

// isFollowedBy says whether an object takes the place of the deleted one.
func (d deleted) isFollowedBy(now unstructured.Unstructured) bool {
	same := now.GetName() == d.name || d.generateName != "" && now.GetGenerateName() == d.generateName
	return same && !d.known[now.GetUID()] && now.GetDeletionTimestamp() == nil
}

// judgeLate says which of the children that did not come back in time the controller makes again
// on another occasion: those are lost.
func (r *run) judgeLate(ctx context.Context, late []deleted) error {
	const lost = "deleted by somebody else, and not back after %s; it came back %s"
	woken, err := r.back(ctx, late)
	if err != nil {
		return err
	}
	for _, one := range woken {
		r.tell(one.String(), v1alpha1.DriftLost, fmt.Sprintf(lost, r.within, "later, when something else was deleted"))
	}
	late = slices.DeleteFunc(late, func(one deleted) bool { return one.isAmong(woken) })
	if len(late) == 0 {
		return nil
	}
	limit, err := r.toStart()
	if err != nil {
		return err
	}
	if err := r.children.restart(ctx); err != nil {
		return fmt.Errorf("restarting the controller, as %s has not come back: %w", late[0], err)
	}
	back, err := r.awaitBack(ctx, late, limit)
	if err != nil {
		return err
	}
	for _, one := range late {
		if one.isAmong(back) {
			r.tell(one.String(), v1alpha1.DriftLost, fmt.Sprintf(lost, r.within, "when the controller was restarted"))
		} else {
			r.tell(one.String(), v1alpha1.DriftNotAsked, fmt.Sprintf("it is made only once: it was not back after %s, nor after a restart of the controller", r.within))
		}
	}
	return nil
}

// isAmong says whether a deleted child is one of some.
func (d deleted) isAmong(some []deleted) bool {
	return slices.ContainsFunc(some, func(one deleted) bool { return one.uid == d.uid })
}

// toStart returns how long the controller may take to make something after it was restarted. If
// it has an election, it may have to wait until its last Lease has run out.
func (r *run) toStart() (time.Duration, error) {
	bound := v1alpha1.TimeBound{Plus: metav1.Duration{Duration: 10 * time.Second}}
	if r.times.Claims.Times.Lease != nil {
		bound.LeaseDurations, bound.RetryPeriods = 1, 2
	}
	limit, err := r.times.Within(bound, time.Now())
	if err != nil {
		return 0, fmt.Errorf("computing how long the controller may take after a restart: %w", err)
	}
	return limit, nil
}
