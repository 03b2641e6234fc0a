package seen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestUnserved: each kind of request is reported once, with the scenario in which it
// was seen. Requests that were answered, or that a Fault refused, are not reported.
func TestUnserved(t *testing.T) {
	exec := history.Request{Verb: "create", Resource: "pods", Subresource: "exec", Code: 501, Message: "no"}
	faulty, answered, log := exec, exec, exec
	faulty.Fault, answered.Code = "f", 101
	log.Verb, log.Subresource, log.Code = "get", "log", 500
	run := Recorded{Title: func(scenario string) string { return scenario }, Accounts: []history.Account{
		{Scenario: "RC-001", Requests: []history.Request{log, exec, exec, faulty, answered}},
		{Scenario: "RC-002", Requests: []history.Request{exec}},
		{Scenario: "RC-003", Requests: []history.Request{faulty, answered}},
	}}
	want := []v1alpha1.Unserved{
		{Request: "create pods/exec", Count: 3, Answer: "501: no", SeenIn: []string{"RC-001", "RC-002"}},
		{Request: "get pods/log", Count: 1, Answer: "500: no", SeenIn: []string{"RC-001"}},
	}
	if diff := cmp.Diff(want, run.Unserved()); diff != "" {
		t.Errorf("unserved (-want +got):\n%s", diff)
	}
}
