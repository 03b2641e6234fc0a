package invariant

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/internal/record/history"
)

// View is what was recorded of one scenario, arranged for the rules.
type View struct {
	// Contract of the implementation.
	Contract Contract
	// After is a number: requests and events up to it accuse nobody. They only say what
	// happened before.
	After int64
	// Requests for the contract's resources, in the order in which they began. Exempt
	// requests, and those in the controller's home, are left out.
	Requests []*history.Request
	// All are the requests for everything that the controller writes and reads, in its
	// home too. Exempt requests, and those for Leases, Events and reviews, are left out.
	All []*history.Request
	// Told are the requests for Events, if Events are claimed. What Requests leaves out is
	// left out here too.
	Told []*history.Request
	// Barred are the writes of cluster-scoped objects that the bench refused although the
	// controller had the right to them.
	Barred []*history.Request
	// Leases are the accepted writes of the Lease for which the replicas compete, by
	// resourceVersion.
	Leases []*history.Request
	// Events of the bench, in order.
	Events []history.Event
}

// NewView arranges an account of a scenario for the rules.
func NewView(contract Contract, account history.Account) *View {
	r := &View{Contract: contract, Events: account.Events}
	lease, elects := contract.Lease(account.Scenario)
	home := contract.Home(account.Scenario)
	for i := range account.Requests {
		request := &account.Requests[i]
		// What the controller does in its home serves nobody.
		atHome := home != "" && request.Namespace == home
		if contract.asks(request) {
			r.All = append(r.All, request)
		}
		switch {
		case !atHome && contract.covers(request):
			r.Requests = append(r.Requests, request)
		case !atHome && contract.tells(request, lease):
			r.Told = append(r.Told, request)
		case request.Note == history.NoteClusterScoped:
			r.Barred = append(r.Barred, request)
		case elects && request.Resource == "leases" && request.Namespace == lease.Namespace &&
			request.Name == lease.Name && request.WritesLease():
			r.Leases = append(r.Leases, request)
		}
	}
	slices.SortStableFunc(r.Leases, func(a, b *history.Request) int {
		order, err := resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion)
		if err != nil {
			return 0
		}
		return order
	})
	return r
}

// electing says whether leader election was on at number seq.
func (r *View) electing(seq int64) bool {
	on := false
	for _, event := range r.Events {
		if event.Seq > seq {
			break
		}
		if event.Reason == history.SubjectStarted {
			on = event.Election
		}
	}
	return on
}

// born returns a number between two processes of the replica: after the last request of
// the earlier process, and before the first request of the process that ran at number seq.
// The start of a process is recorded a moment after it started, so born returns the number
// of the event before that.
func (r *View) born(replica string, seq int64) int64 {
	var born, last int64
	for _, event := range r.Events {
		if event.Replica != replica && event.Reason != history.SubjectStarted {
			continue
		}
		if event.Reason == history.ReplicaStarted && last < seq {
			born = last
		}
		last = event.Seq
	}
	return born
}

// held returns the last write before number seq with which the replica's process took or
// renewed the Lease, or nil.
func (r *View) held(replica string, seq int64) *history.Request {
	born := r.born(replica, seq)
	var held *history.Request
	for _, lease := range r.Leases {
		if lease.Replica == replica && lease.Holder != "" && lease.Seq > born && lease.Seq < seq &&
			(held == nil || lease.Seq > held.Seq) {
			held = lease
		}
	}
	return held
}
