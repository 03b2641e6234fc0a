package history

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Account is what was recorded of one scenario until the Account was taken. It does not
// change, so that all conclusions about the scenario use the same facts.
type Account struct {
	// Scenario of the account.
	Scenario string
	// Requests in the order in which they began, including those for Leases and Events,
	// each as it was known then.
	Requests []Request
	// Events in order.
	Events []Event
}

// Account returns the account of a scenario, as it is now.
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

// Seen says whether the subject has sent anything. Before that, its silence proves
// nothing: it may not have started, or may talk to another server.
func (a *Account) Seen(subject string) bool {
	return slices.ContainsFunc(a.Requests, func(request Request) bool { return request.Subject == subject })
}

// ServerErrors returns the answers 429 and 5xx that no Fault asked for, and the
// requests that were aborted because the API server did not answer. What a scenario
// finds after one of them proves nothing. If a Disruption cut off a webhook, the failed
// calls of that webhook are not returned: the Disruption asked for them. Nor are those
// of [Account.Unserved]: they are not a sign that anything is wrong with the API
// server. Nor are answers that the request itself is the reason for, whatever their code.
func (a *Account) ServerErrors() []Request {
	cut := slices.ContainsFunc(a.Events, func(e Event) bool { return e.Reason == WebhookCut })
	var found []Request
	for _, request := range a.Requests {
		unordered := request.Fault == "" && !request.IntoPod() && !request.asksForIt() && !(cut && strings.Contains(request.Message, failedWebhook))
		if unordered && (request.Code == http.StatusTooManyRequests || request.Code >= http.StatusInternalServerError) {
			found = append(found, request)
		}
	}
	return found
}

// Messages by which a sound API server refuses a request that is wrong, or comes at the wrong
// moment, with the code of a server error: the creation of an object whose resourceVersion is
// set (500), and the eviction of a Pod that a PodDisruptionBudget keeps (429).
const (
	versionSet = "resourceVersion should not be set on objects to be created"
	budgetKept = "Cannot evict pod as it would violate the pod's disruption budget."
)

// asksForIt says whether a request itself is the reason for its server error.
func (r *Request) asksForIt() bool { return r.Message == versionSet || r.Message == budgetKept }

// failedWebhook is the API server's message for a request that it refuses because a
// webhook did not answer.
const failedWebhook = "failed calling webhook"

// LongestWait returns the longest time that the subjects waited for slow answers within
// one stretch of time, and the requests that they waited for. An answer is slow if it took
// at least the time slow. Watches, requests that a Fault hit, and answers with 500 or more do
// not count. Only requests that arrived at since or later count, and unless until is zero, only
// those before until. Many slow answers make a subject late, even if none of them is very slow.
func (a *Account) LongestWait(
	since, until time.Time, slow, stretch time.Duration,
) (longest time.Duration, of []Request) {
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
