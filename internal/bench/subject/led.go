package subject

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// led returns what tells whether a replica sent a request while it held the Lease, or could
// still believe so. It is nil if the Lease is not known.
//
// It only chooses which requests a Traffic counts, reads and failed ones among them, so it goes
// by the clock. The invariant NotLeader accuses, so it goes by resourceVersions, which only
// effective writes have.
func (i *instance) led() func(history.Request) bool {
	namespace := i.subject.Namespace
	contract := invariant.ContractOf(i.env.Profile(namespace))
	lease, ok := contract.Lease(namespace)
	if !ok {
		return nil
	}
	var writes []history.Request
	for _, r := range i.env.Recorder.Requests(history.Query{Scenario: namespace, Everything: true}) {
		if r.WritesLease() && (types.NamespacedName{Namespace: r.Namespace, Name: r.Name}) == lease {
			writes = append(writes, r)
		}
	}
	return ledBy(writes, contract.Belief)
}

// ledBy tells whether a replica sent a request while the Lease had the name under which the
// replica took it, or less than belief after that. A replica that only writes the Lease of
// another one does not hold it.
func ledBy(leases []history.Request, belief time.Duration) func(history.Request) bool {
	return func(r history.Request) bool {
		names := map[string]string{} // of the replicas, under which they took the Lease
		var holder string
		var until time.Time // when the replica last held the Lease
		for _, lease := range leases {
			if lease.Time.After(r.Time) {
				continue // the answer may be recorded after the replica has acted on it
			}
			if lease.Holder != "" && lease.Holder != holder {
				names[lease.Replica] = lease.Holder
			}
			own := names[r.Replica]
			if own != "" && (lease.Holder == own || holder == own) {
				until = lease.End()
			}
			if lease.Holder == "" && lease.Replica == r.Replica {
				until = time.Time{} // it gave the Lease back itself
			}
			holder = lease.Holder
		}
		own := names[r.Replica]
		return own != "" && (holder == own || !until.IsZero() && r.Time.Sub(until) <= belief)
	}
}
