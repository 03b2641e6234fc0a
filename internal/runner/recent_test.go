package runner

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

// TestRecent: the last writes and refusals before the step failed, and nothing that came
// since. Two of them may be Events.
func TestRecent(t *testing.T) {
	began := time.Unix(100, 0)
	request := func(seq int64, after time.Duration, change func(*history.Request)) history.Request {
		r := history.Request{
			Seq: seq, Time: began.Add(after), Replica: "subject-0", Verb: history.VerbUpdate, Resource: "deployments", Name: "demo",
			Code: 200, Effect: history.EffectEffective,
		}
		change(&r)
		return r
	}
	same := func(*history.Request) {}
	idle := func(r *history.Request) { r.Resource, r.Effect = "foos", history.EffectNoop }
	event := func(r *history.Request) { r.Resource, r.Name, r.EventReason = "events", "e", "Synced" }
	account := history.Account{
		Requests: []history.Request{
			request(1, 0, same), request(2, time.Second, same), request(3, time.Second, func(r *history.Request) { r.Verb = history.VerbGet }),
			request(4, 2*time.Second, func(r *history.Request) { r.Resource = "leases" }),
			request(5, 3*time.Second, func(r *history.Request) {
				r.Verb, r.Code, r.Effect, r.Reason = history.VerbList, 403, history.EffectNone, "Forbidden"
			}),
			request(6, 4*time.Second, func(r *history.Request) { r.Changed = []string{"status.phase", "status.checked"} }),
			request(7, 5*time.Second, func(r *history.Request) { r.Code, r.Effect, r.Fault = 0, history.EffectNone, "lost" }),
			// Writes that change nothing would leave no room for those that do.
			request(71, 5*time.Second, idle), request(72, 5*time.Second, idle), request(73, 5*time.Second, idle),
			request(8, 5*time.Second, event), request(9, 6*time.Second, event), request(10, 6*time.Second, event),
			request(11, 11*time.Second, same),
		},
	}
	if got := recent(account); got != nil {
		t.Errorf("no step failed: %q", got)
	}
	account.Events = []history.Event{{Reason: history.StepBegan, Time: began}, {Reason: history.StepFailed, Time: began.Add(10 * time.Second)}}
	want := []string{
		"#6 update deployments demo by subject-0, 6s before: 200, effective, changed status.phase, status.checked",
		"#7 update deployments demo by subject-0, 5s before: no answer, by the Fault lost",
		"#73 update foos demo by subject-0, 5s before: 200, noop",
		"#9 update events e by subject-0, 4s before: 200, effective, reason Synced",
		"#10 update events e by subject-0, 4s before: 200, effective, reason Synced",
	}
	if diff := cmp.Diff(want, recent(account)); diff != "" {
		t.Errorf("recent (-want +got):\n%s", diff)
	}
}

// TestOncePerList: what changed in several entries of a list is named once. A field of one
// entry keeps its index.
func TestOncePerList(t *testing.T) {
	for name, tc := range map[string]struct{ paths, want []string }{
		"of two entries": {
			[]string{"status.conditions[0].reason", "status.conditions[0].status", "status.conditions[1].reason", "and 4 more"},
			[]string{"status.conditions[].reason", "status.conditions[0].status", "and 4 more"},
		},
		"of one":         {[]string{"spec.containers[0].image", "spec.containers[0].name"}, []string{"spec.containers[0].image", "spec.containers[0].name"}},
		"of other lists": {[]string{"spec.a[0].x", "spec.b[0].x"}, []string{"spec.a[0].x", "spec.b[0].x"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, oncePerList(tc.paths)); diff != "" {
				t.Errorf("oncePerList (-want +got):\n%s", diff)
			}
		})
	}
}
