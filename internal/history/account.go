package history

import (
	"net/http"
	"slices"
	"time"
)

// Account is what was recorded of one scenario until it was taken. It changes no more, so that whatever is concluded
// of the scenario is concluded from the same.
type Account struct {
	// Scenario that it is of.
	Scenario string
	// Requests in the order in which they began, those for Leases and Events too, each as it was known then.
	Requests []Request
	// Events in order.
	Events []Event
}

// Account of a scenario, as it is now.
func (r *Recorder) Account(scenario string) Account {
	r.mu.RLock()
	defer r.mu.RUnlock()
	account := Account{Scenario: scenario}
	s := r.scenarios[scenario]
	if s == nil {
		return account
	}
	for _, request := range s.requests {
		account.Requests = append(account.Requests, *request)
	}
	account.Events = slices.Clone(s.events)
	return account
}

// Seen says whether the subject has sent anything at all. Until it has, nothing can be concluded from its silence: it
// may not have started, or may talk to another server.
func (a *Account) Seen(subject string) bool {
	return slices.ContainsFunc(a.Requests, func(request Request) bool { return request.Subject == subject })
}

// ServerErrors are the answers 429 and 5xx that no fault ordered, with the connections that were dropped because the
// API server did not answer. Whatever a scenario says after one of them proves nothing.
func (a *Account) ServerErrors() []Request {
	var found []Request
	for _, request := range a.Requests {
		unordered := request.Fault == ""
		if unordered && (request.Code == http.StatusTooManyRequests || request.Code >= http.StatusInternalServerError) {
			found = append(found, request)
		}
	}
	return found
}

// LongestWait is the longest time that the subjects waited, within any one stretch of time, for answers that each took
// as long as slow or longer and that no Fault hit; with the requests that they waited for. These arrived from since on,
// and before until, where that is not zero. Where each answer is slow, none of them need be very slow for a subject to
// be late.
func (a *Account) LongestWait(since, until time.Time, slow, stretch time.Duration) (longest time.Duration, of []Request) {
	var requests []Request
	for _, request := range a.Requests {
		within := !request.Time.Before(since) && (until.IsZero() || request.Time.Before(until))
		if within && answered(&request) && request.Duration.Duration >= slow {
			requests = append(requests, request)
		}
	}
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
