package history

import (
	"net/http"
	"time"
)

// Slowest returns the request of any subject whose answer took longest, among those that
// began between the two times. Watches do not count, and neither do requests that a Fault
// hit. If an API server takes seconds to answer, it gets too little CPU time, and so do the
// subjects. Slowest returns false if there was no request.
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

// Waited returns for how long, between two times, at least one of the requests was waiting
// for its answer. The requests are in order. Watches do not count.
func Waited(requests []Request, from, to time.Time) time.Duration {
	var sum time.Duration
	covered := from // requests that overlap count once
	for _, r := range requests {
		if r.Verb == VerbWatch {
			continue
		}
		begin, end := r.Time, to
		if r.Finished && r.End().Before(to) {
			end = r.End()
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

// stretching limits how much longer a time limit may become because waiting does not
// count. Beyond that the API server is not slow, but the subject asks too much.
const stretching = 5

// Stretched returns a limit, which began at the time from, plus waiting time: the time
// until now in which at least one of the requests was waiting for its answer. It returns
// at most five times the limit.
func Stretched(limit time.Duration, requests []Request, from, now time.Time) time.Duration {
	return min(limit+Waited(requests, from, now), stretching*limit)
}

// answered says whether the API server itself answered a request, and not with an error of
// its own (500 or more). It is false for a watch.
func answered(r *Request) bool {
	return r.Finished && r.Code != 0 && r.Code < http.StatusInternalServerError && r.Verb != VerbWatch && r.Fault == ""
}
