package history

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Query selects requests of one scenario. An empty field selects everything.
type Query struct {
	Scenario string
	Subject  string
	Replicas []string

	// After selects requests that began after the request or event with this number.
	After int64
	// Since and Until limit the time at which a request arrived: Since is included, Until
	// is not.
	Since, Until time.Time

	// Match selects requests, as in a Traffic object.
	Match v1alpha1.RequestMatch
	// Everything also selects Leases, Events, token and access reviews.
	Everything bool
	// Without leaves out the requests that the profile declares as exempt.
	Without []v1alpha1.Exemption
}

// Requests returns the requests that the query selects, in the order in which they began,
// each as it is known now.
func (r *Recorder) Requests(q Query) []Request {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found []Request
	for _, request := range r.since(q) {
		if q.selects(request) {
			found = append(found, *request)
		}
	}
	return found
}

// since leaves out the requests that began too early. The lock is held.
func (r *Recorder) since(q Query) []*Request {
	s := r.scenarios[q.Scenario]
	if s == nil {
		return nil
	}
	bySeq, _ := slices.BinarySearchFunc(s.requests, q.After+1, func(request *Request, seq int64) int {
		return cmp.Compare(request.Seq, seq)
	})
	byTime, _ := slices.BinarySearchFunc(s.requests, q.Since, func(request *Request, since time.Time) int {
		return request.Time.Compare(since)
	})
	return s.requests[max(bySeq, byTime):]
}

func (q Query) selects(request *Request) bool {
	if q.Subject != "" && request.Subject != q.Subject ||
		len(q.Replicas) > 0 && !slices.Contains(q.Replicas, request.Replica) ||
		!q.Until.IsZero() && !request.Time.Before(q.Until) || Exempts(q.Without, *request) {
		return false
	}
	match := q.Match
	if q.Everything && len(match.Resources) == 0 && isHousekeeping(*request) {
		match.Resources = []string{request.GroupResource().String()}
	}
	if q.Everything {
		return matches(match, *request)
	}
	return Matches(match, *request)
}

// LastSeq returns the number of the newest request or event.
func (r *Recorder) LastSeq() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.seq
}

// OpenWatches returns the watches of a replica that were answered and have not ended, in
// the order in which they began. An empty replica means all replicas.
func (r *Recorder) OpenWatches(scenario, replica string) []Request {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s := r.scenarios[scenario]
	if s == nil {
		return nil
	}
	var open []Request
	for request := range s.watches {
		if replica == "" || request.Replica == replica {
			open = append(open, *request)
		}
	}
	slices.SortFunc(open, func(a, b Request) int { return cmp.Compare(a.Seq, b.Seq) })
	return open
}

// Watches says whether a replica has an open watch of a resource.
func (r *Recorder) Watches(scenario, replica string, resource schema.GroupVersionResource) bool {
	return slices.ContainsFunc(r.OpenWatches(scenario, replica), func(w Request) bool {
		return schema.GroupVersionResource{Group: w.Group, Version: w.Version, Resource: w.Resource} == resource
	})
}

// betweenPolls is how much later a list must come to show that a replica polls. What has
// several caches lists several times at once.
const betweenPolls = 900 * time.Millisecond

// Polled returns what a process polls, by its requests: the resources that it lists again and
// again, and does not try to watch.
func Polled(requests []*Request) []schema.GroupVersionResource {
	first := map[schema.GroupVersionResource]time.Time{}
	polls := map[schema.GroupVersionResource]bool{}
	for _, q := range requests {
		resource := schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: q.Resource}
		begun, listed := first[resource]
		switch {
		case q.Verb == VerbWatch || q.StreamingList:
			polls[resource] = false
		case q.Verb != VerbList || !q.Succeeded():
		case !listed:
			first[resource] = q.Time
		case q.Time.Sub(begun) >= betweenPolls:
			if _, known := polls[resource]; !known {
				polls[resource] = true
			}
		}
	}
	maps.DeleteFunc(polls, func(_ schema.GroupVersionResource, does bool) bool { return !does })
	return slices.Collect(maps.Keys(polls))
}

// Polls says whether a process that was started after this record polls a resource.
func (r *Recorder) Polls(scenario, replica string, resource schema.GroupVersionResource, after int64) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	requests := slices.DeleteFunc(slices.Clone(r.since(Query{Scenario: scenario, After: after})), func(q *Request) bool {
		return q.Replica != replica || q.Resource != resource.Resource
	})
	return slices.Contains(Polled(requests), resource)
}

// LeaseWrite returns the accepted write of a Lease with the highest resourceVersion.
// Replica is who wrote it, and Holder is who holds the Lease since then, or empty if
// nobody does. The boolean is false if nothing was written.
func (r *Recorder) LeaseWrite(scenario string, lease types.NamespacedName) (Request, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s := r.scenarios[scenario]
	if s == nil || s.leases[lease] == nil {
		return Request{}, false
	}
	return *s.leases[lease], true
}

// Scenarios returns the scenarios of which anything was recorded, sorted by name. It
// leaves out the empty name, which stands for what belongs to no scenario.
func (r *Recorder) Scenarios() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.scenarios)), func(name string) bool { return name == "" })
}

// Events returns the events of a scenario, in order. The empty scenario has those that
// belong to no scenario.
func (r *Recorder) Events(scenario string) []Event {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s := r.scenarios[scenario]; s != nil {
		return slices.Clone(s.events)
	}
	return nil
}
