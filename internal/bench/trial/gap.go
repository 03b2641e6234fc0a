package trial

import (
	"context"

	"reconform.dev/reconform/internal/record/history"
)

// misses says whether a deletion falls into a gap of the watches.
func (d *disturbance) misses() bool {
	return d.Fault != nil && d.Fault.Watch != nil && d.Fault.Watch.MissDeletion != nil
}

// awaitList waits until the subject watches again after the gap: by then it has listed what
// is there. A subject that does not do so in time is judged by the outcome.
func (r *run) awaitList(ctx context.Context) error {
	r.say("waiting until the subject lists again")
	at := match(r.disturbance.At)
	at.Verbs = []string{history.VerbWatch}
	err := r.await(ctx, r.within, "the subject lists again", func(context.Context) (bool, error) {
		return len(r.Recorder.Requests(history.Query{Scenario: r.namespace, After: r.after, Match: at})) > 0, nil
	})
	return ignore(err, isLate)
}
