package observation

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// Waiting returns the Observations that wait for something, in no order.
func (c *Controller) Waiting() []objects.Waiting {
	var all []objects.Waiting
	for key, judge := range c.open.All() {
		if left, message, waits := judge.waits(time.Now()); waits {
			all = append(all, objects.Waiting{
				NamespacedName: key, Kind: "Observation", Resource: judge.of.Resource, Of: judge.of.Name, Left: left, Message: message,
			})
		}
	}
	return all
}

// GiveUp makes an Observation wait no longer: what it waits for has not come. Its message
// says why it did not wait until the end.
func (c *Controller) GiveUp(ctx context.Context, key types.NamespacedName, why string) {
	judge, ok := c.open.Named(key)
	if !ok {
		return
	}
	judge.giveUp(why)
	reference := &v1alpha1.Observation{}
	reference.Namespace, reference.Name = key.Namespace, key.Name
	select {
	case c.changed <- event.TypedGenericEvent[*v1alpha1.Observation]{Object: reference}:
	case <-ctx.Done():
	}
}

// waits tells whether the Observation is waited for, how long that may last at most, and
// what it would say if the time were over.
func (j *judge) waits(now time.Time) (left time.Duration, message string, waits bool) {
	status, _ := j.status(now)
	j.mu.Lock()
	defer j.mu.Unlock()
	if status.Verdict != v1alpha1.JudgementPending || j.optional {
		return 0, "", false
	}
	return j.left(now), j.unmet(""), true
}

// giveUp ends the wait, for a reason.
func (j *judge) giveUp(why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.came && !j.overdue {
		j.overdue, j.gaveUp = true, why
	}
}

// left returns the remaining time within which eventually must be true. It is negative if
// that time is over.
func (j *judge) left(now time.Time) time.Duration {
	left := j.within - now.Sub(j.began)
	if left < 0 && j.longer != nil {
		if longer, err := j.longer(); err == nil {
			j.within = longer
			left = longer - now.Sub(j.began)
		}
	}
	if left < 0 && j.stretched != nil {
		left = j.stretched(j.within, j.began, now) - now.Sub(j.began)
	}
	return left
}
