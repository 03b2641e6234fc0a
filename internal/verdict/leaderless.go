package verdict

import (
	"fmt"

	"reconform.dev/reconform/internal/record/history"
)

// leaderless says that nobody led when the first step failed: the process that wrote the
// Lease last has ended or is cut off, and no other has taken the Lease. So what is missing is
// the takeover, and not one write. It returns "" if somebody led, or if there is no election.
func (c *Case) leaderless() string {
	failed := c.failedAt()
	if !elects(c.Account.Events) || failed == 0 {
		return ""
	}
	var last *history.Request
	for n := range c.Account.Requests {
		if r := &c.Account.Requests[n]; r.WritesLease() && r.Seq < failed {
			last = r
		}
	}
	if last == nil {
		return "; no replica ever held the Lease"
	}
	for _, e := range c.Account.Events {
		if how := away(e.Reason); how != "" && e.Replica == last.Replica && e.Seq > last.Seq && e.Seq < failed {
			return fmt.Sprintf("; no replica has taken the Lease since %s %s", e.Replica, how)
		}
	}
	return ""
}

// away says in words that a replica can lead no longer, by the reason of an event, or "".
func away(reason string) string {
	switch reason {
	case history.ReplicaPartitioned, history.ReplicaSilenced:
		return "was cut off"
	case history.ReplicaKilled, history.ReplicaCrashed, history.ReplicaTerminated, history.ReplicaInterrupted, history.ReplicaStopped:
		return "ended"
	}
	return ""
}
