package explore

import (
	"testing"
	"time"

	"reconform.dev/reconform/internal/profile"
)

// TestSecondsPerPlan: the search for smaller plans, and the end of the bench, are no time of a plan.
func TestSecondsPerPlan(t *testing.T) {
	e := exploring(nil)
	e.target.Profile = &profile.Profile{}
	e.options.Parallel, e.began = 1, time.Now()
	if err := e.carryOut(t.Context()); err != nil { // there are no plans
		t.Fatal(err)
	}
	e.trying, e.carrying, e.tries = time.Now().Add(-10*time.Minute), 20*time.Second, 10
	if got := e.Report().Plans.SecondsPerPlan; got != "2.00" {
		t.Errorf("%s s for a plan", got)
	}
}
