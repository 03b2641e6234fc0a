package seen

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Times returns the times that the profile declares, and the time of a start, each with
// the longest time that the run shows.
func (r *Recorded) Times() []v1alpha1.Measured {
	times := r.Profile.Spec.Claims.Times
	lease := v1alpha1.LeaseTimes{}
	if times.Lease != nil {
		lease = *times.Lease
	}
	var found []v1alpha1.Measured
	for _, t := range []struct {
		name, what string
		declared   metav1.Duration
		measure    func(history.Account) time.Duration
	}{
		{"longestRetryPause", "between two attempts at a write that keeps failing", times.Retries().Longest, retryPause},
		{"resync", "not measured: a resync sends no requests", times.Resync, nil},
		{"silence", "from the end of a network failure without errors to the next request that is answered", times.Silence, silence},
		{"lease.duration", "from the last renewal of a leader until its successor takes the Lease", lease.Duration, takeover},
		{"lease.renewDeadline", "from the last renewal of a leader that is cut off until its process ends", lease.RenewDeadline, givingUp},
		{"lease.retryPeriod", "between two renewals of a leader", lease.RetryPeriod, renewal},
		{"shutdownGrace", "from the signal that ends the process to its end", times.ShutdownGrace, shutdown},
		{"start", "from the start of the process to its first request", metav1.Duration{}, start},
	} {
		m := v1alpha1.Measured{Name: t.name, What: t.what}
		if t.declared.Duration > 0 {
			m.Declared = &t.declared
		}
		if t.measure != nil {
			m.Measured, m.In = r.longest(t.measure)
		}
		if m.Declared != nil || m.Measured != nil {
			found = append(found, m)
		}
	}
	return found
}

// longest returns the longest time of all scenarios, and the scenario in which it was
// measured.
func (r *Recorded) longest(measure func(history.Account) time.Duration) (longest *metav1.Duration, in string) {
	for _, account := range r.Accounts {
		found := measure(account).Round(time.Millisecond)
		if found > 0 && (longest == nil || found > longest.Duration) {
			longest, in = &metav1.Duration{Duration: found}, r.Title(account.Scenario)
		}
	}
	return longest, in
}

// retryPause returns the longest time between two attempts at the same write. The first
// attempt must have failed, but not because the object already exists or is gone.
func retryPause(a history.Account) time.Duration {
	type attempt struct{ replica, verb, resource, subresource, namespace, name string }
	writes := v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate, history.VerbUpdate, history.VerbDelete}}
	last := map[attempt]history.Request{}
	longest := time.Duration(0)
	for _, r := range a.Requests {
		if !history.Matches(writes, r) {
			continue
		}
		key := attempt{r.Replica, r.Verb, r.GroupResource().String(), r.Subresource, r.Namespace, r.Name}
		if before, known := last[key]; known && fails(before) && undisturbed(a, before, r) {
			longest = max(longest, pause(before, r))
		}
		last[key] = r
	}
	return longest
}

func fails(r history.Request) bool {
	return r.Dropped() || r.Failed() && r.Code != 404 && r.Code != 409
}

// pause returns the time from the answer to a request until the next request.
func pause(before, after history.Request) time.Duration { return after.Time.Sub(before.End()) }

// undisturbed says whether nothing was done to a replica between two of its requests.
func undisturbed(a history.Account, from, to history.Request) bool {
	return !slices.ContainsFunc(a.Events, func(e history.Event) bool {
		between := e.Seq > from.Seq && e.Seq < to.Seq
		switch e.Reason {
		case history.ReplicaStarted, history.ReplicaPartitioned, history.ReplicaHealed:
			return between && e.Replica == from.Replica
		}
		return between && e.Reason == history.DisruptionDone
	})
}

// silence returns the longest time from the end of a silence until the replica's next
// request that was answered.
func silence(a history.Account) time.Duration {
	silent := map[string]bool{}
	longest := time.Duration(0)
	for _, e := range a.Events {
		switch {
		case e.Reason == history.ReplicaPartitioned:
			silent[e.Replica] = e.Message != "" // without a message, each request fails at once
		case e.Reason == history.ReplicaHealed && silent[e.Replica]:
			first := slices.IndexFunc(a.Requests, func(r history.Request) bool {
				return r.Replica == e.Replica && r.Seq > e.Seq && r.Succeeded()
			})
			if first >= 0 {
				longest = max(longest, a.Requests[first].Time.Sub(e.Time))
			}
		}
	}
	return longest
}

// shutdown returns the longest time from a signal until the end of a process.
func shutdown(a history.Account) time.Duration {
	longest := time.Duration(0)
	for _, e := range a.Events {
		if e.Reason == history.ReplicaTerminated || e.Reason == history.ReplicaInterrupted {
			longest = max(longest, e.Took.Duration)
		}
	}
	return longest
}

// start returns the longest time from the start of a process until its first request.
func start(a history.Account) time.Duration {
	longest := time.Duration(0)
	for n, e := range a.Events {
		if e.Reason != history.ReplicaStarted {
			continue
		}
		ends := slices.IndexFunc(a.Events[n+1:], func(later history.Event) bool {
			return later.Replica == e.Replica && later.Reason == history.ReplicaStarted
		})
		for _, r := range a.Requests {
			if r.Replica == e.Replica && r.Seq > e.Seq {
				if ends < 0 || r.Seq < a.Events[n+1+ends].Seq {
					longest = max(longest, r.Time.Sub(e.Time))
				}
				break
			}
		}
	}
	return longest
}
