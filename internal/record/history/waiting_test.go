package history_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
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

func TestLongestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		start := time.Now()
		take := func(name string, d time.Duration, finish func(*history.Request)) {
			record := recorder.Begin(create("subject-0", name))
			time.Sleep(d)
			record.Finish(finish)
		}
		quick := func() { take("quick", 100*time.Millisecond, accepted) }
		take("alone", 3*time.Second, accepted)
		time.Sleep(20 * time.Second)
		quick()
		take("first", 2*time.Second, accepted)
		quick()
		take("delayed", 9*time.Second, func(r *history.Request) { accepted(r); r.Fault = "delay" })
		take("second", 3*time.Second, accepted)
		take("cut", 2*time.Second, accepted) // only 900 ms of it are within the 15 s
		take("after", 4*time.Second, accepted)
		middle := time.Now()
		for range 100 { // a busy subject waits all the time, and nothing is slow
			quick()
		}

		for name, tc := range map[string]struct {
			scenario     string
			since, until time.Time
			stretch      time.Duration
			want         time.Duration
			of           []string
		}{
			"the sum":            {"s", start, middle, 9 * time.Second, 9 * time.Second, []string{"second", "cut", "after"}},
			"its end":            {"s", start, middle.Add(-4 * time.Second), 15 * time.Second, 5*time.Second + 900*time.Millisecond, []string{"first", "second", "cut"}},
			"many that are fast": {"s", middle, time.Time{}, 15 * time.Second, 0, nil},
			"another scenario":   {"other", time.Time{}, time.Time{}, 15 * time.Second, 0, nil},
		} {
			account := recorder.Account(tc.scenario)
			got, of := account.LongestWait(tc.since, tc.until, time.Second, tc.stretch)
			var names []string
			for _, r := range of {
				names = append(names, r.Name)
			}
			if diff := cmp.Diff(tc.of, names); diff != "" || got != tc.want {
				t.Errorf("%s: waited %s, want %s; for (-want +got):\n%s", name, got, tc.want, diff)
			}
		}
	})
}
