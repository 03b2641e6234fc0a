package drift

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// settles is how long the object is still checked after the controller's first write of
// it, because more writes may follow.
const settles = time.Second

// added is what a Drift has added to an object.
type added struct {
	additions []addition
	uid       types.UID
	after     int64 // number of the last request before
}

// add adds everything at once, with the nudge. If the API server refuses that, it adds one
// after the other.
func (r *run) add(ctx context.Context, additions []addition, nudge *changed) (*added, error) {
	done := &added{after: r.object.recorder.LastSeq()}
	all := func(object map[string]any) {
		for _, a := range additions {
			a.path.put(object, a.value)
		}
		if nudge != nil {
			nudge.apply(object)
		}
	}
	written, err := r.object.write(ctx, all)
	switch {
	case err == nil:
		done.uid, done.additions = written.GetUID(), additions
	case !refused(err):
		return nil, fmt.Errorf("adding: %w", err)
	default:
		if err := r.addEach(ctx, additions, done); err != nil {
			return nil, err
		}
	}
	for _, a := range done.additions {
		r.ask(a.path.String())
	}
	return done, nil
}

// addEach adds one after the other, and leaves out what the API server refuses.
func (r *run) addEach(ctx context.Context, additions []addition, done *added) error {
	for _, a := range additions {
		written, err := r.object.write(ctx, func(object map[string]any) { a.path.put(object, a.value) })
		if refused(err) {
			r.tell(a.path.String(), v1alpha1.DriftNotAsked, "the API server refuses to add it: "+err.Error())
			continue
		}
		if err != nil {
			return fmt.Errorf("adding %s: %w", a.path, err)
		}
		done.uid, done.additions = written.GetUID(), append(done.additions, a)
	}
	return nil
}

// keep checks whether what was added stays, until the controller has written the object
// again, or until its time is over.
func (r *run) keep(ctx context.Context, a *added) error {
	end, written := time.Now().Add(r.within), false
	for {
		last := time.Now().After(end)
		now, err := r.object.read(ctx)
		if err != nil && !errors.Is(err, errGone) {
			return err
		}
		left := a.additions[:0:0]
		for _, one := range a.additions {
			switch name := one.path.String(); {
			case err == nil && one.there(now.Object):
				left = append(left, one)
			case err != nil || now.GetUID() != a.uid:
				r.tell(name, v1alpha1.DriftLost, "it went with the object, which was deleted")
			default:
				r.tell(name, v1alpha1.DriftLost, fmt.Sprintf("added by somebody else as %s, and gone; %s", text(one.value), r.object.since(a.uid, a.after)))
			}
		}
		a.additions = left
		if last {
			break
		}
		if !written && len(r.object.writes(a.uid, a.after)) > 0 {
			written, end = true, time.Now().Add(expectation.Scaled(settles, r.times.Scale))
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	for _, one := range a.additions {
		r.tell(one.path.String(), v1alpha1.DriftKept, "added, and still there; "+r.object.since(a.uid, a.after))
	}
	return r.release(ctx)
}

// release removes our finalizer from the object. With the finalizer the object could never
// be deleted.
func (r *run) release(ctx context.Context) error {
	finalizer := keys("metadata", "finalizers").with(step{what: toElement, element: foreign})
	_, err := r.object.write(ctx, finalizer.drop)
	if err != nil && !errors.Is(err, errGone) && !apierrors.IsNotFound(err) {
		return fmt.Errorf("taking the finalizer away: %w", err)
	}
	return nil
}
