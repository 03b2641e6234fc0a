package predict

import (
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// Trace is what was recorded of an experiment.
type Trace struct {
	Requests []history.Request
	Events   []history.Event
	Log      []Line
	// Objects as they were at the end, by KIND/NAME.
	Objects map[string]any
}

// Line is a line that a replica wrote.
type Line struct{ Replica, Text string }

// began returns the time of the first thing that was recorded.
func (r *Trace) began() (first time.Time) {
	see := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, request := range r.Requests {
		see(request.Time)
	}
	for _, event := range r.Events {
		see(event.Time)
	}
	return first
}

// facts returns the values that measures can use.
func (r *Trace) facts() map[string]any {
	first := r.began()
	at := func(t time.Time) float64 { return t.Sub(first).Seconds() }
	requests, events, log := []map[string]any{}, []map[string]any{}, []map[string]any{}
	began, objects := map[string]float64{}, r.Objects
	for _, q := range r.Requests {
		requests = append(requests, map[string]any{
			"at": at(q.Time), "lasted": q.Duration.Seconds(), "replica": q.Replica,
			"verb": q.Verb, "streaming": q.StreamingList, "resource": q.Resource, "subresource": q.Subresource, "name": q.Name,
			"code": q.Code, "effect": string(q.Effect), "fault": q.Fault, "holder": q.Holder,
		})
	}
	for _, e := range r.Events {
		events = append(events, map[string]any{
			"at": at(e.Time), "reason": e.Reason, "replica": e.Replica, "object": e.Object, "message": e.Message,
		})
		if e.Reason == history.StepBegan {
			began[e.Message] = at(e.Time)
		}
	}
	for _, line := range r.Log {
		log = append(log, map[string]any{"replica": line.Replica, "text": line.Text})
	}
	if objects == nil {
		objects = map[string]any{}
	}
	return map[string]any{"requests": requests, "events": events, "log": log, "objects": objects, "began": began}
}
