package history_test

import (
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestAccountDoesNotChange: an Account stays the same while more is recorded.
func TestAccountDoesNotChange(t *testing.T) {
	recorder := history.New(nil, nil)
	open := recorder.Begin(history.Request{Scenario: "s", Resource: "leases", Group: "coordination.k8s.io"})
	recorder.Event(history.Event{Scenario: "s", Reason: "first"})
	account := recorder.Account("s")

	open.Finish(func(r *history.Request) { r.Code = 503 })
	recorder.Begin(history.Request{Scenario: "s"})
	recorder.Event(history.Event{Scenario: "s", Reason: "second"})
	if len(account.Requests) != 1 || account.Requests[0].Finished || account.Requests[0].Code != 0 || len(account.ServerErrors()) > 0 {
		t.Errorf("requests: %+v", account.Requests)
	}
	if len(account.Events) != 1 || account.Scenario != "s" {
		t.Errorf("events: %+v", account.Events)
	}
}

// TestServerErrorsOfWebhooks: if a scenario cuts a webhook off, its failed calls are
// expected. Other server errors are not.
func TestServerErrorsOfWebhooks(t *testing.T) {
	recorder := history.New(nil, nil)
	for _, message := range []string{`Internal error occurred: failed calling webhook "v.example.com": EOF`, "etcdserver: leader changed"} {
		recorder.Begin(history.Request{Scenario: "s"}).Finish(func(r *history.Request) { r.Code, r.Message = 500, message })
	}
	account := recorder.Account("s")
	if found := account.ServerErrors(); len(found) != 2 {
		t.Errorf("where nothing was cut off: %+v", found)
	}
	recorder.Event(history.Event{Scenario: "s", Reason: history.WebhookCut})
	account = recorder.Account("s")
	if found := account.ServerErrors(); len(found) != 1 || found[0].Message != "etcdserver: leader changed" {
		t.Errorf("where a webhook was cut off: %+v", found)
	}
}

// TestServerErrorsOfRequests: a request that the API server never accepts is no sign that
// something is wrong with the server, whatever the code is.
func TestServerErrorsOfRequests(t *testing.T) {
	recorder := history.New(nil, nil)
	for message, code := range map[string]int{
		"resourceVersion should not be set on objects to be created":        500,
		"Cannot evict pod as it would violate the pod's disruption budget.": 429,
		"Too many requests, please try again later.":                        429,
	} {
		recorder.Begin(history.Request{Scenario: "s"}).Finish(func(r *history.Request) { r.Code, r.Message = code, message })
	}
	account := recorder.Account("s")
	if found := account.ServerErrors(); len(found) != 1 || !strings.HasPrefix(found[0].Message, "Too many") {
		t.Errorf("found %+v", found)
	}
}
