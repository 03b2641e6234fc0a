package seen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// Election is what the record shows of a leader election.
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
		found[n].Times.RetryPeriod.Duration = Configured(between[len(between)/2])
	}
	return found
}

// Configured rounds a measured pause to what somebody probably configured.
func Configured(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(time.Second)
	case d > 0:
		return max(d.Round(100*time.Millisecond), 100*time.Millisecond)
	}
	return 0
}

// LeaseProblem says how the Lease that a profile declares differs from the one that the
// controller takes. home is the controller's namespace. It returns "" if a replica held the
// declared Lease.
func LeaseProblem(p *profile.Profile, account history.Account, home string) string {
	election := p.Spec.Launch.LeaderElection
	if election == nil {
		return ""
	}
	declared := election.Lease
	if declared.Namespace == home {
		declared.Namespace = ""
	}
	var others []string
	for _, e := range Elections(account, home) {
		if e.Lease == declared && e.Held {
			return ""
		}
		if e.Lease == declared {
			return fmt.Sprintf("the controller asked for Lease %s, and never held it", inWords(declared))
		}
		others = append(others, inWords(e.Lease))
	}
	slices.Sort(others)
	if len(others) == 0 {
		return fmt.Sprintf("the controller asked for no Lease with the arguments %s; the profile says %s. Either it needs other arguments, or it reads them and does not elect",
			strings.Join(election.Enabled, " "), inWords(declared))
	}
	return fmt.Sprintf("the Lease is called %s; the profile says %s", strings.Join(others, ", "), inWords(declared))
}

func inWords(lease v1alpha1.LeaseName) string {
	if lease.Namespace == "" {
		return lease.Name
	}
	return lease.Name + " in namespace " + lease.Namespace
}
