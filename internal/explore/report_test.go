package explore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
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

// TestOperationsInAReport: those that have plans, and those in which nothing could be disturbed. What
// was recorded only for its outcome is left out.
func TestOperationsInAReport(t *testing.T) {
	e := exploring(nil)
	e.target = targetOf(t, "backup-any")
	create, idle, both := recordingOf([]Write{create("jobs")}), recordingOf(nil), recordingOf([]Write{create("jobs")})
	create.Plans = 2
	idle.Name, both.Name = "edit-retention", "create then edit"
	if _, err := e.plan(e.target, []Operation{create.Operation, idle.Operation}, map[string]*Recording{"create": create, idle.Name: idle, both.Name: both}, nil, nil); err != nil {
		t.Fatal(err)
	}
	e.recordings = []*Recording{create, idle, both}
	want := []v1alpha1.ExploredOperation{{Name: "create", Writes: []string{create.Writes[0].InWords()}}, {Name: "edit-retention"}}
	r := e.Report()
	for i := range r.Operations {
		r.Operations[i].Watches = nil
	}
	if diff := cmp.Diff(want, r.Operations); diff != "" || len(r.Left) > 0 {
		t.Errorf("left out: %q; operations (-want +got):\n%s", r.Left, diff)
	}
}
