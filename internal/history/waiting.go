package history

import (
	"net/http"
	"time"
)

// Slowest is the request of any subject whose answer took longest, of those that began
// at since or later, and before until, and that no Fault hit. Watches do not count. An
// API server that takes seconds to answer has too little of the machine, and so have
// the subjects. It returns false where there was no request.
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

// Waited is for how long, between two times, the answer to at least one of the requests
// was awaited. The requests are in order. Watches do not count.
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

// stretching is how many times as long a limit may become that excludes waiting. Beyond
// that the API server is not slow, but the subject asks too much.
const stretching = 5

// Stretched is a limit of time, which began at from, plus the time until now in which
// the answer to at least one of the requests was awaited. It is five times the limit at
// most.
func Stretched(limit time.Duration, requests []Request, from, now time.Time) time.Duration {
	return min(limit+Waited(requests, from, now), stretching*limit)
}

// answered says whether a request, which is not a watch, was answered by the API server
// itself.
func answered(r *Request) bool {
	return r.Finished && r.Code != 0 && r.Code < http.StatusInternalServerError && r.Verb != VerbWatch && r.Fault == ""
}
