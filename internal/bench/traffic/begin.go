package traffic

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

const (
	// quietFor is how long a subject must have no effective write to count as quiet. In
	// this time a watch event arrives even on a busy machine.
	quietFor = 2 * time.Second
	// quickQuietFor is the same if limits are shortened (--timeout-scale below 1).
	quickQuietFor = time.Second
	// quietMargin is added to the resync period: a subject that does not learn what
	// happens to its children must be quiet for both.
	quietMargin = time.Second
	// resyncMargin is how much longer than the resync period a window is that covers that
	// period. resyncCap is the longest such window. A longer resync period cannot be
	// covered, so it does not make the window longer.
	resyncMargin = 5 * time.Second
	resyncCap    = 35 * time.Second
	// giveUp is how long a measurement waits, beyond its patience, for the subject's first
	// request or for the Disruption at which its window starts. It is scaled like the
	// patience.
	giveUp = 3 * time.Minute
)

// begin makes the measurement of a new Traffic.
func (c *Controller) begin(traffic *v1alpha1.Traffic) (*measurement, error) {
	times := c.Times(traffic.Namespace)
	m := &measurement{
		namespace: traffic.Namespace, uid: traffic.UID, spec: traffic.Spec, claims: times.Claims,
		workload: c.Workload(traffic.Namespace),
		created:  time.Now(), createdAfter: c.Recorder.LastSeq(), giveUp: expectation.Scaled(giveUp, times.Scale),
	}
	m.window = time.Duration(traffic.Spec.WindowMs) * time.Millisecond
	if bound := traffic.Spec.Window; bound != nil {
		var err error
		if m.window, err = times.Within(*bound, time.Now()); err != nil {
			return nil, fmt.Errorf("computing the window: %w", err)
		}
	}
	if covering := times.Claims.Times.Resync.Duration + resyncMargin; traffic.Spec.CoversResync && covering <= resyncCap {
		m.window = max(m.window, covering)
	}
	m.quiet = quietFor
	if times.Scale > 0 && times.Scale < 1 {
		m.quiet = quickQuietFor
	}
	var err error
	if m.patience, err = times.Within(traffic.Spec.QuietWithin, time.Now()); err != nil {
		return nil, fmt.Errorf("computing quietWithin: %w", err)
	}
	m.waitOutResync(times.Claims)
	return m, nil
}

// waitOutResync makes quiet last as long as the resync period, if that is short enough.
// Then everything that is due at a resync is done before the window opens. This applies to
// controllers that have not reacted to the last change of a child (see quietLasts), and to
// all controllers if the measurement asks for it. Then the first resync may still change
// something, and the quiet begins after that: patience covers both.
func (m *measurement) waitOutResync(claims v1alpha1.Claims) {
	resync := claims.Times.Resync.Duration
	if resync <= 0 || resync+resyncMargin > resyncCap {
		return
	}
	m.untold = resync + quietMargin
	if longer := m.untold - m.quiet; m.spec.QuietCoversResync && longer > 0 {
		m.quiet, m.patience = m.untold, m.patience+2*longer
	}
}

// limits finds the numbers of other objects that are added to the bounds of a measurement.
func (c *Controller) limits(m *measurement) (limits, error) {
	l := limits{traffic: map[string]v1alpha1.TrafficStatus{}, statuses: map[string]int64{}}
	for _, part := range parts(m.spec.Expect) {
		if name := part.bounds.Beyond; name != "" {
			key := types.NamespacedName{Namespace: m.namespace, Name: name}
			result, ok := c.find(key).result()
			if !ok {
				return l, fmt.Errorf("spec.expect.%s.beyond: there is no Traffic %s that is complete", part.field, name)
			}
			l.traffic[name] = result
		}
		if name := part.bounds.BeyondStatuses; name != "" {
			seen, err := c.Statuses(types.NamespacedName{Namespace: m.namespace, Name: name})
			if err != nil {
				return l, fmt.Errorf("spec.expect.%s.beyondStatuses: %w", part.field, err)
			}
			l.statuses[name] = seen
		}
	}
	return l, nil
}
