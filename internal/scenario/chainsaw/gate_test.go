package chainsaw

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The first request of a test reads its namespace. When the parent has said that no
// more tests may begin, only those that have begun are let through.
func TestGate(t *testing.T) {
	var printed strings.Builder
	gate := newGate(&printed)
	gate.add("rc-001", "reconform-rc-001")
	gate.add("rc-002", "reconform-rc-002")
	answered := 0
	through := gate.wrap(roundTrip(func(*http.Request) (*http.Response, error) {
		answered++
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	}))
	ask := func(method, path string) error {
		request, err := http.NewRequestWithContext(t.Context(), method, "https://127.0.0.1"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := through.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close() // it is empty
		}
		return err
	}
	for _, step := range []struct {
		method, path string
		said         string // by the parent, before
		held         bool
	}{
		{http.MethodGet, "/api/v1/namespaces/reconform-rc-001", "", false},
		{http.MethodGet, "/api/v1/namespaces/reconform-rc-002", enough, true},
		{http.MethodGet, "/api/v1/namespaces/reconform-rc-002", "", true},
		{http.MethodGet, "/api/v1/namespaces/reconform-rc-001", "", false},
		{http.MethodGet, "/api/v1/namespaces/reconform-rc-002/pods", "", false},
		{http.MethodPost, "/api/v1/namespaces", "", false},
		{http.MethodGet, "/api/v1/namespaces/default", "", false},
	} {
		gate.line(step.said)
		before := answered
		if err := ask(step.method, step.path); errors.Is(err, errHeld) != step.held || (answered == before) != step.held {
			t.Errorf("%s %s: %v, %d requests; held: want %t", step.method, step.path, err, answered-before, step.held)
		}
	}
	if got := map[string]bool{"rc-001": gate.holds("rc-001"), "rc-002": gate.holds("rc-002")}; got["rc-001"] || !got["rc-002"] {
		t.Errorf("held: %v", got)
	}
	if diff := cmp.Diff(heldLine+"rc-002\n", printed.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// No event is reported for a test that was kept from beginning.
func TestHeldIsNoNews(t *testing.T) {
	var told []string
	ends := follow(strings.NewReader(heldLine+`sh-002
    sink.go:61: | 12:00:00 | sh-002 | @chainsaw | INTERNAL | ERROR |
        === ERROR
        no more tests are to begin
    sink.go:61: | 12:00:01 | sh-001 | @chainsaw | CLEANUP | SKIP |
    --- PASS: chainsaw/sh-001 (1.00s)
    --- FAIL: chainsaw/sh-002 (0.00s)
`), func(event Event) { told = append(told, event.Test) })
	if diff := cmp.Diff([]string{"sh-001"}, told); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if end := ends["sh-002"]; end == nil || !end.closed {
		t.Errorf("sh-002 has no end: %+v", end)
	}
}
