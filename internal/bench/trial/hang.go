package trial

import (
	"context"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/fault"
	"reconform.dev/reconform/internal/record/history"
)

// hangs says whether a request is left without an answer.
func (d *disturbance) hangs() bool { return d.Fault != nil && d.Fault.Hang != nil }

// awaitHang waits until nobody waits for the answer any more, and notes what the subject did
// meanwhile. Not to give up is not a divergence: clients may have no limit of their own.
func (r *run) awaitHang(ctx context.Context) error {
	r.say("leaving a request without an answer")
	var end history.Event
	lasts := time.Duration(r.disturbance.Fault.Hang.Ms) * time.Millisecond
	if err := r.await(ctx, lasts+r.within, "the request without an answer has ended", func(context.Context) (bool, error) {
		for _, event := range r.Recorder.Events(r.namespace) {
			if event.Seq > r.begun && event.Object == "Fault/"+r.disturbance.fault.Name && slices.Contains([]string{fault.EventGivenUp, fault.EventCut}, event.Reason) {
				end = event
				return true, nil
			}
		}
		return false, nil
	}); err != nil {
		return err
	}
	requests := r.Recorder.Requests(history.Query{Scenario: r.namespace, After: r.after})
	r.unanswered = whileUnanswered(requests, r.disturbance.fault.Name, end)
	return nil
}

// whileUnanswered returns what a subject did while the request hung that a Fault hit, until
// this event. It returns nil if there is no such request.
func whileUnanswered(requests []history.Request, by string, end history.Event) *v1alpha1.Unanswered {
	at := firstHit(requests, by)
	if at < 0 {
		return nil
	}
	hung := requests[at]
	u := &v1alpha1.Unanswered{WaitedMs: end.Time.Sub(hung.Time).Milliseconds(), GaveUp: end.Reason == fault.EventGivenUp}
	for _, q := range requests[at+1:] {
		if q.Replica == hung.Replica && q.Verb != history.VerbWatch && q.Time.Before(end.Time) {
			u.Requests++
		}
	}
	return u
}
