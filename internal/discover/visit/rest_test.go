package visit

import (
	"testing"
	"testing/synctest"
	"time"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/runner"
)

// TestRestOfPoller: a controller that watches no children shows the period at which it looks
// at them, also the usual 30 s. One that takes longer is not waited for.
func TestRestOfPoller(t *testing.T) {
	for name, tc := range map[string]struct {
		every, want, took time.Duration
	}{
		"five seconds":  {5 * time.Second, 5 * time.Second, 15 * time.Second},
		"half a minute": {30 * time.Second, 30 * time.Second, 90 * time.Second},
		"two minutes":   {2 * time.Minute, 0, atRest + untilPeriods},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				look := func() {
					recorder.Begin(history.Request{Scenario: Namespace, Verb: history.VerbGet, Group: "apps", Resource: "deployments", Name: "demo"}).
						Finish(func(q *history.Request) { q.Code = 200 })
				}
				look()
				v := &visitor{session: &runner.Session{Recorder: recorder}}
				v.record.Account = recorder.Account(Namespace)
				over := make(chan struct{})
				go func() {
					tick := time.NewTicker(tc.every)
					defer tick.Stop()
					for {
						select {
						case <-tick.C:
							look()
						case <-over:
							return
						}
					}
				}()
				defer close(over)
				after, began := recorder.LastSeq(), time.Now()
				if err := v.restOf(t.Context(), after, began); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took.Round(time.Second) != tc.took {
					t.Errorf("it took %s, want %s", took, tc.took)
				}
				since := recorder.Requests(history.Query{Scenario: Namespace, After: after})
				if got := infer.Period(since, v.record.MainWorkload()); got != tc.want {
					t.Errorf("period %s, want %s", got, tc.want)
				}
			})
		})
	}
}
