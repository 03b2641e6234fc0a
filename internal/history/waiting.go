package history

import (
	"net/http"
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

// stretching is how many times as long a time may become that excludes waiting. Beyond
// that it is the subject that asks too much, not the API server that is slow.
const stretching = 5

// Stretched is how long a time that began at from lasts, as far as is known now, where it
// gets longer by that for which an answer to any of the requests was outstanding. Five
// times as long at most.
func Stretched(limit time.Duration, requests []Request, from, now time.Time) time.Duration {
	return min(limit+Waited(requests, from, now), stretching*limit)
}

// answered tells whether the API server itself has answered a request, which is no watch.
func answered(r *Request) bool {
	return r.Finished && r.Code != 0 && r.Code < http.StatusInternalServerError && r.Verb != VerbWatch && r.Fault == ""
}
