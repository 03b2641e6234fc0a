package verdict

import (
	"fmt"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// stretch is the time over which slow answers are added up, at a time scale of 1.
const stretch = 15 * time.Second

// waits are limits, at a time scale of 1. If the API server's answers or the nodes take
// longer, the machine is busy.
type waits struct {
	one time.Duration // for one answer to anybody
	sum time.Duration // for the slow answers that the subject waits for within a stretch of time
	// slow is how long an answer must take to count as slow. Quick answers never count,
	// even if a subject in a tight loop waits for many of them.
	slow time.Duration
	pod  time.Duration // for a node to run a Pod of the scenario
}

// On a busy machine an answer takes up to 2 s; with twenty times more work than cores, up
// to 6 s. On a quiet node a Pod is ready after two or three seconds.
var (
	// starving: a failure proves nothing.
	starving = waits{one: 6 * time.Second, sum: 6 * time.Second, slow: time.Second, pod: 15 * time.Second}
	// crowding: a scenario that fails is run again.
	crowding = waits{one: 2 * time.Second, sum: 2 * time.Second, slow: 500 * time.Millisecond, pod: 5 * time.Second}
)

// crowded says whether a scenario may have failed because the machine was busy.
func (c *Case) crowded(f facts) bool {
	return f.Unanswered != "" || len(f.Unordered)+len(f.Late) > 0 || c.busy(crowding) != ""
}

// ample is how many times longer a step must wait than slow answers took, so that these are no
// excuse.
const ample = 5

// hadTime says whether the controller had time enough for what a step waited for in vain, though
// some answers were slow: since the scenario last changed something, the step waited much longer
// than all of them took together.
func (c *Case) hadTime() bool {
	began, failed := c.lastChange(), c.failure()
	if began == nil || failed == nil {
		return false
	}
	scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * c.TimeoutScale) }
	waited := failed.Time.Sub(began.Time)
	slow, _ := c.Account.LongestWait(began.Time, failed.Time, scaled(crowding.slow), waited)
	if slowest := c.Slowest; slowest != nil && !slowest.End().Before(began.Time) {
		slow += slowest.Duration.Duration
	}
	for _, e := range c.Account.Events {
		if e.Reason == history.PodSlow && !e.Time.Before(began.Time) {
			slow += e.Took.Duration
		}
	}
	return waited >= scaled(stretch) && waited >= ample*slow
}

// busy says what shows that the API server or a node took this long during the test of a
// scenario. It returns "" if nothing shows it.
func (c *Case) busy(bounds waits) string {
	scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * c.TimeoutScale) }
	if slowest := c.Slowest; slowest != nil && slowest.Duration.Duration >= scaled(bounds.one) {
		return fmt.Sprintf("the API server took %s to answer %s %s (#%d)",
			slowest.Duration.Round(100*time.Millisecond), slowest.Method, slowest.Path, slowest.Seq)
	}
	if waited, of := c.Account.LongestWait(c.Test.Started, c.Ended, scaled(bounds.slow), scaled(stretch)); waited >= scaled(bounds.sum) {
		return fmt.Sprintf("within %s, the controller waited %s for %d slow answers of the API server (#%d to #%d)",
			scaled(stretch), waited.Round(100*time.Millisecond), len(of), of[0].Seq, of[len(of)-1].Seq)
	}
	for _, e := range c.Account.Events {
		if e.Reason == history.PodSlow && e.Took.Duration >= scaled(bounds.pod) {
			return fmt.Sprintf("the nodes took %s for %s (%s)", e.Took.Round(100*time.Millisecond), e.Object, e.Message)
		}
	}
	return ""
}
