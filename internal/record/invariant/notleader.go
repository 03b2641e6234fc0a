package invariant

import (
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// notLeader: if replicas elect a leader, only the holder of the Lease has effective
// writes.
//
// resourceVersions decide who held the Lease, not the clock. A replica that has lost the
// Lease may not know it yet: if somebody deletes or takes the Lease, the replica notices
// only when it fails to renew it. So writes that it sends up to Contract.Belief after its
// last renewal do not accuse it. While a replica is paused it cannot notice anything, so
// that time does not count. A replica that released the Lease knows that, so every later
// write accuses it.
type notLeader struct{}

func (notLeader) Name() string { return v1alpha1.RuleNotLeader }

func (notLeader) Must() string {
	return "Only the replica that holds the Lease writes."
}

func (notLeader) Hint() string {
	return "Each write must be made by the replica that holds the Lease at that moment. End the " +
		"process as soon as the Lease is lost, and start no work before it is held."
}

func (rule notLeader) Broken(r *View) []v1alpha1.Violation {
	if r.Contract.Belief == 0 {
		return nil
	}
	proofs := r.proofs()
	for _, write := range r.Requests {
		if write.Effect != history.EffectEffective || !r.electing(write.Seq) || r.leads(write) {
			continue
		}
		held := r.held(write.Replica, write.Seq)
		switch back := r.gaveBack(write); {
		case held == nil:
			proofs.add(alike(write), write.Seq, "%s %s without ever having held the Lease",
				write.Replica, did(write))
		case back != nil:
			proofs.add(alike(write), write.Seq, "%s %s after it had given the Lease back (#%d)",
				write.Replica, did(write), back.Seq)
		default:
			proofs.add(alike(write), write.Seq, "%s %s, %s after it had last renewed the Lease (#%d)",
				write.Replica, did(write), write.Time.Sub(held.End()).Round(slack/10), held.Seq)
		}
	}
	return proofs.violations(rule)
}

// leads says whether the replica that wrote held the Lease, or could still believe that it
// held it.
func (r *View) leads(write *history.Request) bool {
	held := r.held(write.Replica, write.Seq)
	if held == nil || r.gaveBack(write) != nil {
		return false
	}
	if write.Time.Sub(held.End())-r.paused(held, write) <= r.Contract.Belief {
		return true
	}
	holder := r.holder(write)
	return holder != nil && holder.Holder != "" && holder.Replica == write.Replica &&
		holder.Seq > r.born(write.Replica, write.Seq)
}

// paused returns for how long the replica was paused between the answer to one of its
// requests and another request. The pause may have begun before that answer: what a process
// sends a moment before it is paused is answered during the pause. A pause that has not
// ended does not count.
func (r *View) paused(from, to *history.Request) time.Duration {
	var total time.Duration
	var began *history.Event
	born := r.born(to.Replica, to.Seq)
	for _, event := range r.Events {
		switch {
		case event.Replica != to.Replica || event.Seq <= born || event.Seq > to.Seq:
		case event.Reason == history.ReplicaPaused:
			began = &event
		case event.Reason == history.ReplicaResumed && began != nil:
			since := began.Time
			if from.End().After(since) {
				since = from.End()
			}
			total += max(0, event.Time.Sub(since))
			began = nil
		}
	}
	return total
}

// gaveBack returns the write with which the replica's process released the Lease, before
// the given write of the process took effect. It returns nil if there is none, if the
// process has taken the Lease again since, or if it did not wait for the answer to the
// given write. Nor does it count if the process had lost the Lease by then, because its
// renewals failed, and had sent the given write before: client-go's ReleaseOnCancel then
// tries to give the Lease back at once, and cannot wait for what is on its way.
func (r *View) gaveBack(write *history.Request) *history.Request {
	if write.Unawaited() {
		return nil
	}
	var last *history.Request
	born := r.born(write.Replica, write.Seq)
	for _, lease := range r.Leases {
		if lease.Replica == write.Replica && lease.Seq > born && before(lease, write) {
			last = lease
		}
	}
	if last == nil || last.Holder != "" {
		return nil
	}
	held := r.held(write.Replica, last.Seq)
	lost := held != nil && last.Time.Sub(held.End()) >= r.Contract.RenewDeadline
	if lost && write.Time.Before(last.Time) {
		return nil
	}
	return last
}

// holder returns the last write of the Lease before another write, by resourceVersion. If
// the other write has no resourceVersion, as after a deletion, the numbers decide.
func (r *View) holder(write *history.Request) *history.Request {
	var holder *history.Request
	for _, lease := range r.Leases {
		if before(lease, write) {
			holder = lease
		}
	}
	return holder
}

func before(lease, write *history.Request) bool {
	order, err := resourceversion.CompareResourceVersion(lease.ResourceVersion, write.ResourceVersion)
	if write.ResourceVersion == "" || err != nil {
		return lease.Seq < write.Seq
	}
	return order < 0
}
