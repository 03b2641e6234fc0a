package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/record/history"
)

// arm brings the disturbance into force.
func (r *run) arm(ctx context.Context) error {
	for _, d := range r.disturbance.all() {
		if err := r.Client.Create(ctx, d.fault.DeepCopy()); err != nil {
			return fmt.Errorf("bringing the disturbance into force: %w", err)
		}
		r.armed = true
	}
	return nil
}

// disarm ends it, and notes whether it happened.
func (r *run) disarm(ctx context.Context) error {
	if !r.armed {
		return nil
	}
	errs := []error{r.notice(ctx)}
	r.armed = false
	for _, d := range r.disturbance.all() {
		if err := r.Client.Delete(ctx, d.fault.DeepCopy()); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("ending the disturbance: %w", err))
		}
	}
	return errors.Join(errs...)
}

// notice notes whether the disturbance has happened: both, if there are two.
func (r *run) notice(ctx context.Context) error {
	all := !r.missed
	for _, d := range r.disturbance.all() {
		happened, err := r.happened(ctx, d)
		if err != nil {
			return err
		}
		all = all && happened
	}
	r.reach(all)
	return nil
}

// happened says whether one disturbance has happened.
func (r *run) happened(ctx context.Context, d *disturbance) (bool, error) {
	fault := &v1alpha1.Fault{}
	if err := r.Reader.Get(ctx, client.ObjectKeyFromObject(&d.fault), fault); err != nil {
		return false, fmt.Errorf("looking at the disturbance: %w", err)
	}
	watch := fault.Spec.Action.Watch
	if watch != nil && (watch.Freeze != nil || watch.MissDeletion != nil) {
		return fault.Status.Hidden > 0, nil // a watch on which nothing came was not disturbed
	}
	// The status of a Fault may come late; what was recorded does not.
	return fault.Status.Hits > 0 || r.hit(d), nil
}

// hit says whether the Fault of a disturbance has hit a request.
func (r *run) hit(d *disturbance) bool {
	query := history.Query{Scenario: r.namespace, After: r.begun, Match: match(d.At)}
	return firstHit(r.Recorder.Requests(query), d.fault.Name) >= 0
}

// firstHit returns the place of the first request that a Fault hit, or -1.
func firstHit(requests []history.Request, by string) int {
	return slices.IndexFunc(requests, func(q history.Request) bool { return q.Fault == by })
}

// unlikely is how long the subject is quiet until the request that a disturbance is about is
// no longer awaited. It may wait for others meanwhile, such as for Pods.
const unlikely = 5 * quietFor

// happens waits until the request is open that the disturbance is about. It returns false
// if it does not come.
func (r *run) happens(ctx context.Context) (bool, error) {
	quiet := time.Now()
	err := r.await(ctx, r.within, "the disturbance happens", func(ctx context.Context) (bool, error) {
		if err := r.notice(ctx); err != nil {
			return false, err
		}
		if r.wasReached() {
			return true, nil
		}
		return r.quietSince(quiet) >= unlikely, nil
	})
	if err := ignore(err, isLate); err != nil {
		return false, err
	}
	return r.wasReached(), nil
}

// awaitPoint waits for the request that is to be disturbed, if it has not come yet, and until the
// subject is quiet after it. On a busy machine a subject is quiet before it has begun to react.
// Restless is true if it does not become quiet. Of two disturbances, the second often never comes.
func (r *run) awaitPoint(ctx context.Context) (restless bool, err error) {
	if !r.armed || r.disturbance.lasts || r.disturbance.also != nil {
		return false, nil
	}
	if err := r.notice(ctx); err != nil || r.wasReached() {
		return false, err
	}
	if happened, err := r.happens(ctx); err != nil || !happened {
		return false, err
	}
	return r.rest(ctx)
}

// disturbOpen does what a disturbance asks for while a request is open.
func (r *run) disturbOpen(ctx context.Context) error {
	d := r.disturbance
	waits := d.fault.Spec.Action.HoldAnswer != nil
	if d.Terminate == nil && d.meanwhile == nil && d.Lease == "" && !d.hangs() && !d.misses() && !waits {
		return nil
	}
	happened, err := r.happens(ctx)
	if err != nil {
		return err
	}
	if !happened {
		r.missed = true // what comes later is not disturbed: the moment is over
		return r.disarm(ctx)
	}
	switch {
	case d.hangs():
		return r.awaitHang(ctx)
	case d.misses():
		return r.awaitList(ctx)
	case d.Terminate != nil:
		return r.disrupt(ctx, v1alpha1.DisruptionSpec{Target: d.At.Target, Action: v1alpha1.ActionRestart})
	}
	switch {
	case d.Lease != "":
		err = r.disturbLease(ctx)
	case d.meanwhile != nil:
		err = r.do(ctx, *d.meanwhile)
	}
	if err == nil && (waits || d.UntilQuiet) {
		err = r.overtaken(ctx)
	}
	if err != nil {
		return err
	}
	return r.disarm(ctx)
}

// overtaken waits until the subject is quiet, or may no longer be awaited: by then it has
// seen the events of the write, and of what was done meanwhile. Its answer may then tell of
// an older object than they do.
func (r *run) overtaken(ctx context.Context) error {
	from := time.Now()
	err := r.await(ctx, r.within, "the subject is quiet", func(context.Context) (bool, error) {
		return r.quietSince(from) >= quietFor, nil
	})
	return ignore(err, isLate)
}

// disrupt does something to the subject's processes, and waits until that is done.
func (r *run) disrupt(ctx context.Context, spec v1alpha1.DisruptionSpec) error {
	r.disruptions++
	d := &v1alpha1.Disruption{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: fmt.Sprintf("%s-%d", r.name, r.disruptions)}, Spec: spec}
	if err := r.Client.Create(ctx, d); err != nil {
		return err
	}
	err := r.await(ctx, 2*r.within+subjectPatience, string(spec.Action)+" is done", func(ctx context.Context) (bool, error) {
		err := r.Reader.Get(ctx, client.ObjectKeyFromObject(d), d)
		return err == nil && !d.Status.Verdict.IsPending(), err
	})
	if err == nil && d.Status.Verdict == v1alpha1.JudgementInvalid {
		err = fmt.Errorf("%s: %s", spec.Action, d.Status.Message)
	}
	return err
}

// running returns the Subject of the Trial, or nil.
func (r *run) running() *subject.Running { return r.Subjects.Running(r.namespace) }
