package seen

import (
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// renewal returns the longest time between two renewals by the same leader.
func renewal(a history.Account) time.Duration {
	longest := time.Duration(0)
	eachRenewal(a, func(before, after history.Request) {
		if before.Replica == after.Replica && undisturbed(a, before, after) {
			longest = max(longest, pause(before, after))
		}
	})
	return longest
}

// takeover returns the longest time from the last renewal of a leader, which did not
// release the Lease, until another replica had it.
func takeover(a history.Account) time.Duration {
	longest := time.Duration(0)
	eachRenewal(a, func(before, after history.Request) {
		if before.Replica != after.Replica {
			longest = max(longest, pause(before, after))
		}
	})
	return longest
}

// eachRenewal calls f for each pair of accepted writes of a Lease that follow each other.
// The first one must not have released the Lease, and the second one must not have created
// it again.
func eachRenewal(a history.Account, f func(before, after history.Request)) {
	last := map[string]history.Request{}
	for _, r := range a.Requests {
		if !r.WritesLease() {
			continue
		}
		lease := r.Namespace + "/" + r.Name
		if before, known := last[lease]; known && before.Holder != "" && r.Holder != "" && r.Verb == history.VerbUpdate {
			f(before, r)
		}
		last[lease] = r
	}
}

// givingUp returns the longest time from the last renewal of a leader that is cut off
// until the end of its process.
func givingUp(a history.Account) time.Duration {
	longest, cut := time.Duration(0), map[string]bool{}
	for _, e := range a.Events {
		switch e.Reason {
		case history.ReplicaPartitioned, history.ReplicaHealed, history.ReplicaStarted:
			cut[e.Replica] = e.Reason == history.ReplicaPartitioned
		case history.ReplicaCrashed:
			if last, found := lastRenewal(a, e); found && cut[e.Replica] {
				longest = max(longest, e.Time.Sub(last.End()))
			}
		}
	}
	return longest
}

func lastRenewal(a history.Account, before history.Event) (last history.Request, found bool) {
	for _, r := range a.Requests {
		if r.Seq < before.Seq && r.Replica == before.Replica && r.WritesLease() && r.Holder != "" {
			last, found = r, true
		}
	}
	return last, found
}
