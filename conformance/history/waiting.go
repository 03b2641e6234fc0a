package history

import (
	"net/http"
	"slices"
	"time"
)

// Slowest is the request of any subject that took longest to be answered, of those
// that began in a span of time, Until not included, and that no Fault hit. Watches
// aside, an API server answers at once: one that takes seconds has too little of the
// machine, and so have the subjects. It is false where there was no request.
func (r *Recorder) Slowest(since, until time.Time) (slowest Request, found bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for name := range r.scenarios {
		for _, request := range r.since(Query{Scenario: name, Since: since}) {
			if !answered(request) || !request.Time.Before(until) {
				continue
			}
			if !found || request.Duration.Duration > slowest.Duration.Duration {
				slowest, found = *request, true
			}
		}
	}
	return slowest, found
}

// LongestWait is the longest time that the subjects of a query's scenario waited, within
// any one stretch of time, for answers that each took as long as slow or longer and that
// no Fault hit; with the requests that they waited for. Where each answer is slow, none
// of them need be very slow for a subject to be late.
func (r *Recorder) LongestWait(q Query, slow, stretch time.Duration) (longest time.Duration, of []Request) {
	requests := slices.DeleteFunc(r.Requests(q), func(request Request) bool {
		return !answered(&request) || request.Duration.Duration < slow
	})
	for i, first := range requests {
		until := first.Time.Add(stretch)
		within := requests[i:]
		if end := slices.IndexFunc(within, func(r Request) bool { return !r.Time.Before(until) }); end >= 0 {
			within = within[:end]
		}
		if waited := Waited(within, first.Time, until); waited > longest {
			longest, of = waited, within
		}
	}
	return longest, of
}

// Waited is for how long, from one time to another, an answer to any of the requests
// was outstanding. They are in order. A watch is not waited for.
func Waited(requests []Request, from, to time.Time) time.Duration {
	var sum time.Duration
	covered := from // those that overlap count once
	for _, r := range requests {
		if r.Verb == VerbWatch {
			continue
		}
		begin, end := r.Time, to
		if r.Finished && r.Time.Add(r.Duration.Duration).Before(to) {
			end = r.Time.Add(r.Duration.Duration)
		}
		if begin.Before(covered) {
			begin = covered
		}
		if end.After(begin) {
			sum += end.Sub(begin)
			covered = end
		}
	}
	return sum
}

// answered tells whether the API server itself has answered a request, which is no watch.
func answered(r *Request) bool {
	return r.Finished && r.Code != 0 && r.Code < http.StatusInternalServerError && r.Verb != VerbWatch && r.Fault == ""
}
