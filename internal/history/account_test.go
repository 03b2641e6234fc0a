package history_test

import (
	"testing"

	"reconform.dev/reconform/internal/history"
)

// TestAccountDoesNotChange while more is recorded.
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
