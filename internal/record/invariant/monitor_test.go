package invariant_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

func TestMonitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		record := func(namespace string, owners ...history.Owner) {
			write := owned(effective(history.VerbUpdate), owners...)
			write.Scenario = namespace
			recorder.Begin(write).Finish(func(r *history.Request) { r.Code = 200 })
		}
		job := history.Owner{Kind: "Job", Name: "x", Controller: true}
		record(scenario, job)

		var changes atomic.Int32
		monitor := invariant.Watch(recorder, contract(), scenario, recorder.LastSeq(), func() { changes.Add(1) })
		defer monitor.Stop()
		expect := func(when string, told bool, want string) {
			t.Helper()
			time.Sleep(time.Second) // of the bubble: longer than the pause between two checks
			synctest.Wait()
			got := ""
			for _, violation := range monitor.Violations() {
				got += fmt.Sprint(violation.Rule, violation.Requests)
			}
			if changed := changes.Swap(0) > 0; got != want || changed != told {
				t.Errorf("%s: changed %t, violations %q; want %t, %q", when, changed, got, told, want)
			}
		}
		expect("before its time", false, "")
		record("elsewhere", job)
		record(scenario, mine()...)
		expect("nothing wrong", false, "")
		record(scenario, job)
		expect("one", true, "ForeignObject[4]")
		record(scenario, mine()...)
		expect("nothing new", false, "ForeignObject[4]")
		for range 3 {
			record(scenario, job)
		}
		expect("more", true, "ForeignObject[4 6 7 8]")
		monitor.Stop()
		record(scenario, job)
		expect("after its end", false, "ForeignObject[4 6 7 8]")
	})
}
