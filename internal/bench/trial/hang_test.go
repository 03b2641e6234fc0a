package trial

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/fault"
	"reconform.dev/reconform/internal/record/history"
)

func TestWhileUnanswered(t *testing.T) {
	begun := time.Now()
	request := func(after time.Duration, verb, replica, hitBy string) history.Request {
		return history.Request{Time: begun.Add(after), Verb: verb, Replica: replica, Fault: hitBy}
	}
	requests := []history.Request{
		request(0, history.VerbUpdate, "subject-0", ""),
		request(time.Second, history.VerbCreate, "subject-0", "hung"),
		request(2*time.Second, history.VerbGet, "subject-0", ""),
		request(3*time.Second, history.VerbWatch, "subject-0", ""),
		request(4*time.Second, history.VerbGet, "subject-1", ""),
		request(6*time.Second, history.VerbCreate, "subject-0", ""),
	}
	end := history.Event{Time: begun.Add(5 * time.Second), Reason: fault.EventGivenUp}
	if diff := cmp.Diff(&v1alpha1.Unanswered{WaitedMs: 4000, GaveUp: true, Requests: 1}, whileUnanswered(requests, "hung", end)); diff != "" {
		t.Errorf("given up (-want +got):\n%s", diff)
	}
	end.Reason, requests[2].Verb = fault.EventCut, history.VerbWatch
	if diff := cmp.Diff(&v1alpha1.Unanswered{WaitedMs: 4000}, whileUnanswered(requests, "hung", end)); diff != "" {
		t.Errorf("cut (-want +got):\n%s", diff)
	}
	if got := whileUnanswered(requests, "another", end); got != nil {
		t.Errorf("a Fault that hit nothing: %+v", got)
	}
}
