package invariant_test

import (
	"testing"
	"time"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// TestRenewalWithoutAnAnswer: a leader that got no answer to its renewals, and gave up,
// has lost the Lease, even if the API server carried out the renewals.
func TestRenewalWithoutAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		note string
		want int
	}{"answered": {"", 1}, "given up": {history.NoteUnawaited, 0}} {
		t.Run(name, func(t *testing.T) {
			s := began(true).replica(history.ReplicaStarted, "subject-0").lease("subject-0", "a")
			s.after(9*time.Second).lease("subject-0", "a")
			s.requests[1].Note = tc.note
			s.after(3*time.Second).replica(history.ReplicaCrashed, "subject-0")
			if got := invariant.Check(s.record()); len(got) != tc.want {
				t.Errorf("violations: %+v, want %d", got, tc.want)
			}
		})
	}
}
