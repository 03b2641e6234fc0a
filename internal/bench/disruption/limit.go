package disruption

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// These hold for a time scale of 1.
const (
	// giveUp is how long a Disruption waits for a replica that it can act on, and for a
	// request that it must interrupt.
	giveUp = 3 * time.Minute
	// overtime is how much longer than the declared grace period a process may take to
	// end, unless a Disruption gives another time.
	overtime = 15 * time.Second
)

// limits are the times of one Disruption.
type limits struct {
	// waits is how long the Disruption waits for something to act on.
	waits time.Duration
	// expected is how long a process is expected to take at most to end, or 0 if nothing
	// is expected.
	expected time.Duration
	// killed is when a process that has not ended is killed. Without spec.withinMs, that is
	// not before expected is over.
	killed time.Duration
}

// limits returns the times of a Disruption. The error says which time the profile does not
// declare.
func (c *Controller) limits(d *v1alpha1.Disruption) (limits, error) {
	times := c.Times(d.Namespace)
	l := limits{waits: expectation.Scaled(giveUp, times.Scale)}
	var err error
	if d.Spec.Expect != nil {
		if l.expected, err = times.Within(d.Spec.Expect.Within, time.Now()); err != nil {
			return l, fmt.Errorf("computing expect.within: %w", err)
		}
	}
	if d.Spec.WithinMs != nil {
		l.killed = milliseconds(*d.Spec.WithinMs)
		return l, nil
	}
	grace, err := Grace(times)
	if err != nil {
		return l, err
	}
	l.killed = max(grace, l.expected)
	return l, nil
}

// Grace returns how long a process that is told to end may take until it is killed: somewhat
// longer than the profile declares. The error says which time the profile does not declare.
func Grace(times expectation.Times) (time.Duration, error) {
	grace, err := times.Within(v1alpha1.TimeBound{ShutdownGraces: 1, Plus: metav1.Duration{Duration: overtime}}, time.Now())
	if err != nil {
		return 0, fmt.Errorf("computing how long a process may take to end: %w", err)
	}
	return grace, nil
}

func milliseconds(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
