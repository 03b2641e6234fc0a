package explore

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
)

// Election is what a visit saw of a leader election.
type Election struct {
	// Lease that the controller asked for.
	Lease v1alpha1.LeaseName
	// Held is true if the controller got it.
	Held bool
	// Times of the Lease. The duration is written in the Lease; the retry period was
	// measured.
	Times v1alpha1.LeaseTimes
	// Released is true if nobody held the Lease any more after the process ended in order.
	Released bool
}

// Elections returns the elections that the controller takes part in, as its requests show
// them: one for each Lease. If a Lease is in the controller's home, its namespace is left
// out.
func Elections(account history.Account, home string) []Election {
	var found []Election
	last := map[v1alpha1.LeaseName]history.Request{}
	pauses := map[int][]time.Duration{} // between renewals
	for _, q := range account.Requests {
		if q.Group != "coordination.k8s.io" || q.Resource != "leases" || q.Namespace == "" {
			continue
		}
		if q.Name == "" {
			continue
		}
		lease := v1alpha1.LeaseName{Name: q.Name, Namespace: q.Namespace}
		if lease.Namespace == home {
			lease.Namespace = ""
		}
		n := slices.IndexFunc(found, func(e Election) bool { return e.Lease == lease })
		if n < 0 {
			n, found = len(found), append(found, Election{Lease: lease})
		}
		if !q.WritesLease() {
			continue
		}
		found[n].Held = found[n].Held || q.Holder != ""
		found[n].Released = q.Holder == ""
		if before, known := last[lease]; known && before.Holder != "" && before.Holder == q.Holder && before.Replica == q.Replica {
			pauses[n] = append(pauses[n], q.Time.Sub(before.Time))
		}
		last[lease] = q
	}
	for n, between := range pauses {
		// Take the median: the first renewal may come at once.
		slices.Sort(between)
		found[n].Times.RetryPeriod.Duration = nearest(between[len(between)/2])
	}
	return found
}

// nearest rounds a measured pause to what somebody probably configured.
func nearest(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(time.Second)
	case d > 0:
		return max(d.Round(100*time.Millisecond), 100*time.Millisecond)
	}
	return 0
}

// election returns the election that counts: the one whose Lease is held, or the only one.
func (r *Record) election() (Election, bool) {
	account := r.Account
	if end, ok := r.act(Terminate); ok { // later requests belong to another process
		account.Requests = slices.DeleteFunc(slices.Clone(account.Requests), func(q history.Request) bool { return q.Seq > end.UntilSeq })
	}
	all := Elections(account, r.Home)
	n := slices.IndexFunc(all, func(e Election) bool { return e.Held })
	if n < 0 {
		return Election{}, false
	}
	e := all[n]
	for _, object := range r.Leases {
		seconds, ok := whole(At(object.Object, "spec.leaseDurationSeconds"))
		namespace := e.Lease.Namespace
		if namespace == "" {
			namespace = r.Home
		}
		if ok && object.GetName() == e.Lease.Name && object.GetNamespace() == namespace {
			e.Times.Duration = metav1.Duration{Duration: time.Duration(seconds) * time.Second}
		}
	}
	return e, true
}

// electionFlags are the usual flags that switch elections on.
var electionFlags = map[string]bool{
	"leader-elect": true, "leader-election": true, "enable-leader-election": true, "enable-leader-elect": true,
	"elect": true, "leaderelect": true, "leaderelection": true, "election": true,
}

// electionFlag finds the argument that switches an election on. It returns its index, and
// the arguments that switch the election on and off.
func electionFlag(command []string) (at int, on, off string) {
	for n, arg := range command[min(1, len(command)):] {
		name, value, given := strings.Cut(arg, "=")
		if electionFlags[strings.ToLower(strings.TrimLeft(name, "-"))] && (!given || value == "true") {
			return n + 1, arg, name + "=false"
		}
	}
	return -1, "", ""
}
