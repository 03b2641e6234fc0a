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
			answered := request.Finished && request.Code != 0 && request.Code < http.StatusInternalServerError
			if !answered || request.Verb == VerbWatch || request.Fault != "" || !request.Time.Before(until) {
				continue
			}
			if !found || request.Duration.Duration > slowest.Duration.Duration {
				slowest, found = *request, true
			}
		}
	}
	return slowest, found
}
