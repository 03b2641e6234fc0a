package invariant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// crashed: no process ends without being told to end.
//
// A process that has lost the Lease must end. A process that is cut off from the API
// server, or has lost the connection on which it waited for an answer, may end: it is
// restarted. So may one that a Fault kept from reading what it needs at its start. A process
// to which the bench has refused a cluster-scoped object may also
// end, because it had the right to that object.
type crashed struct{}

// aftermath is how long after a partition, or a lost connection, the end of a process may
// still be its consequence.
const aftermath = 10 * time.Second

func (crashed) Name() string { return v1alpha1.RuleCrashed }

func (crashed) Must() string {
	return "The process of the controller does not end by itself."
}

func (crashed) Hint() string {
	return "Read its last words. At a start, what another replica or an earlier process has made " +
		"already is not an error. Later, return an error and try again, instead of ending the " +
		"process."
}

func (rule crashed) Broken(r *View) []v1alpha1.Violation {
	proofs := r.proofs()
	for i, event := range r.Events {
		if event.Reason == history.ReplicaCrashed && !r.excused(i, event) {
			how, _, _ := strings.Cut(event.Message, ";")
			when := ""
			if r.atStart(event) {
				when = " at its start"
			}
			proofs.add(kind{how + when, event.Replica}, event.Seq, "%s ended by itself%s%s: %s%s",
				event.Replica, when, inStep(r.Events[:i]), event.Message, r.refusedBefore(event))
		}
	}
	return proofs.violations(rule)
}

// inStep names the step of the scenario that had begun last. It returns "" if none had.
func inStep(before []history.Event) string {
	for _, event := range slices.Backward(before) {
		if event.Reason == history.StepBegan {
			return fmt.Sprintf(", in the step %q", event.Message)
		}
	}
	return ""
}

// atStart says whether a process asked the API server for something, and ended before it
// had watched or polled anything. That is not the same mistake as an end in the middle of its
// work.
func (r *View) atStart(end history.Event) bool {
	requests := r.process(end)
	return len(requests) > 0 && len(history.Polled(requests)) == 0 && !slices.ContainsFunc(requests, func(request *history.Request) bool {
		return request.Verb == history.VerbWatch
	})
}

// refusedBefore says which write of a process failed last, just before it ended. It
// returns "" if there is none, or if a Fault made it fail.
func (r *View) refusedBefore(end history.Event) string {
	for _, request := range slices.Backward(r.process(end)) {
		if request.IsWrite() && request.Failed() {
			if request.Fault != "" || end.Time.Sub(request.End()) > slack {
				return ""
			}
			return fmt.Sprintf("; just before, it was refused to %s %s %s (%s, #%d)",
				request.Verb, request.GroupResource(), request.Name, request.Reason, request.Seq)
		}
	}
	return ""
}

// process returns the requests of a process that ended.
func (r *View) process(end history.Event) []*history.Request {
	born := r.born(end.Replica, end.Seq)
	return slices.DeleteFunc(slices.Clone(r.All), func(request *history.Request) bool {
		return request.Replica != end.Replica || request.Seq <= born || request.Seq >= end.Seq
	})
}

// excused says whether a process had a reason to end. place is the index of the event.
func (r *View) excused(place int, end history.Event) bool {
	return r.lostLease(end) || cutOff(r.Events[:place], end) || r.lostConnection(end) || r.barred(end) || r.keptFromReading(end)
}

// keptFromReading says whether a process ended at its start, and a Fault had answered a read
// of it with an error: nothing has begun, and the next start reads it.
func (r *View) keptFromReading(end history.Event) bool {
	return r.atStart(end) && slices.ContainsFunc(r.process(end), func(request *history.Request) bool {
		return !request.IsWrite() && request.Fault != "" && request.Failed()
	})
}

// lostLease says whether the replica had held the Lease and lost it: it could not renew it
// in time, or another replica had taken it. A renewal whose answer it did not wait for is
// none to it, even if it was carried out.
func (r *View) lostLease(end history.Event) bool {
	if !r.electing(end.Seq) {
		return false
	}
	held := r.held(end.Replica, end.Seq)
	if held == nil {
		return false
	}
	born := r.born(end.Replica, end.Seq)
	for _, lease := range slices.Backward(r.Leases) {
		if lease.Replica == held.Replica && lease.Seq > born && lease.Seq <= held.Seq && lease.Holder != "" && !lease.Unawaited() {
			held = lease
			break
		}
	}
	if end.Time.Sub(held.End()) >= r.Contract.RenewDeadline-slack {
		return true
	}
	lost := false
	for _, lease := range r.Leases {
		if lease.Seq < end.Seq && lease.Holder != "" {
			lost = lease.Replica != end.Replica
		}
	}
	return lost
}

// barred says whether the bench had refused the process a write of a cluster-scoped
// object.
func (r *View) barred(end history.Event) bool {
	born := r.born(end.Replica, end.Seq)
	return slices.ContainsFunc(r.Barred, func(request *history.Request) bool {
		return request.Replica == end.Replica && request.Seq > born && request.Seq < end.Seq
	})
}

// cutOff says whether the replica was partitioned from the API server or silenced, then or
// shortly before.
func cutOff(before []history.Event, end history.Event) bool {
	cut := false
	var healed time.Time
	for _, event := range before {
		if event.Replica != end.Replica {
			continue
		}
		switch event.Reason {
		case history.ReplicaPartitioned, history.ReplicaSilenced:
			cut = true
		case history.ReplicaHealed, history.ReplicaHeard:
			cut, healed = false, event.Time
		}
	}
	return cut || !healed.IsZero() && end.Time.Sub(healed) < aftermath
}

// lostConnection says whether a Fault had cut off a request of the replica shortly before.
// A process that ends with a panic has not decided to end, so it has no excuse.
func (r *View) lostConnection(end history.Event) bool {
	if strings.Contains(end.Message, "after a panic") {
		return false
	}
	return slices.ContainsFunc(r.Requests, func(request *history.Request) bool {
		return request.Replica == end.Replica && request.Dropped() && request.Seq < end.Seq && end.Time.Sub(request.End()) < aftermath
	})
}
