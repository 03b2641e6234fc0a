package history_test

import (
	"testing"
	"testing/synctest"
	"time"

	"reconform.dev/reconform/conformance/history"
)

func TestSlowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		if _, found := recorder.Slowest(time.Time{}, time.Now()); found {
			t.Error("found a request where there was none")
		}
		start := time.Now()
		take := func(name string, d time.Duration, finish func(*history.Request)) {
			request := create("subject-0", name)
			request.Scenario = "scenario-of-" + name
			record := recorder.Begin(request)
			time.Sleep(d)
			record.Finish(finish)
		}
		take("quick", 10*time.Millisecond, accepted)
		take("slow", 7*time.Second, accepted)
		take("delayed", 20*time.Second, func(r *history.Request) { accepted(r); r.Fault = "delay" })
		take("unanswered", 20*time.Second, func(*history.Request) {})
		take("dropped", 20*time.Second, func(r *history.Request) { r.Code = 503 })
		take("watching", 20*time.Second, func(r *history.Request) { r.Code, r.Verb = 200, history.VerbWatch })
		middle := time.Now()
		take("late", 9*time.Second, accepted)

		for name, tc := range map[string]struct{ since, until time.Time }{
			"slow": {start, middle},
			"late": {start, time.Now()},
		} {
			if slowest, found := recorder.Slowest(tc.since, tc.until); !found || slowest.Name != name {
				t.Errorf("the slowest is %s, want %s", slowest.Name, name)
			}
		}
	})
}
