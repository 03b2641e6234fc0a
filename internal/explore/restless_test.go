package explore

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// wild is a run after which the controller did not come to rest.
func wild() *tried {
	return &tried{TrialStatus: v1alpha1.TrialStatus{Outcome: "null", Verdict: v1alpha1.JudgementNotMet, Divergences: []v1alpha1.Divergence{
		{Kind: v1alpha1.DivergenceHarm, Object: "services demo", Path: "deletion"},
		{Kind: v1alpha1.DivergenceRestless, Found: "it still changes objects after 1m5s: create services demo 40 times"},
	}}}
}

// TestRested: what the controller does after the creation cannot be explored if it never rests
// then. Another operation is told, and the others are explored.
func TestRested(t *testing.T) {
	calm := &tried{TrialStatus: v1alpha1.TrialStatus{Verdict: v1alpha1.JudgementNotMet, Divergences: []v1alpha1.Divergence{{Kind: v1alpha1.DivergenceHarm}}}}
	create, recreate := Operation{Name: "create"}, Operation{Name: "recreate"}
	if err := errors.Join(checkRest(create, []*tried{calm, calm}), checkRest(recreate, []*tried{calm, calm})); err != nil {
		t.Error(err)
	}
	for _, runs := range [][]*tried{{wild(), wild()}, {calm, wild()}} {
		if err := checkRest(create, runs); !IsUnfit(err) || !strings.Contains(err.Error(), "40 times") {
			t.Errorf("create: %v", err)
		}
	}
	var each *restless
	if err := checkRest(recreate, []*tried{wild(), wild()}); !errors.As(err, &each) || IsUnfit(err) || !strings.HasPrefix(err.Error(), "recreate: ") || !strings.HasSuffix(err.Error(), "create services demo 40 times") {
		t.Errorf("each time: %v", err)
	}
	var some *failed
	if err := checkRest(recreate, []*tried{calm, wild(), calm}); !errors.As(err, &some) || !strings.Contains(err.Error(), "in 1 of 3 runs it still changes") {
		t.Errorf("now and then: %v", err)
	}
}

// TestRestPlans: an operation after which the controller never rests is a finding of the
// recordings. It is not carried out again, also not by an exploration that goes on.
func TestRestPlans(t *testing.T) {
	create, restart := recordedWith("create", `{}`), Operation{Name: "restart", Steps: []v1alpha1.TrialOperation{{Restart: &v1alpha1.Empty{}}}}
	recreate := Operation{Name: "recreate", Steps: []v1alpha1.TrialOperation{{Recreate: &v1alpha1.TrialObject{}}}}
	all := []*restless{{recreate, []*tried{wild(), wild()}}, {restart, []*tried{wild(), wild()}}}

	path := filepath.Join(t.TempDir(), KeptFile)
	e := begun(t, path)
	plans, err := e.restPlans([]Operation{create.Operation, recreate}, all) // nobody asked for the restart
	if err != nil || len(plans) != 1 {
		t.Fatalf("%v, %v", plans, err)
	}
	other := create.plan("undone", "all", "afterwards", "x")
	e.planned = append(plans, other)
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	e.concludeShown(t.Context())
	check := func(e *Exploration) {
		t.Helper()
		e.target.Profile = &profile.Profile{}
		if left := e.undone(); len(left) != 1 || left[0].Sort != "undone" {
			t.Errorf("left: %+v", left)
		}
		r := e.Report()
		if r.Verdict != v1alpha1.Diverges || len(r.Causes) != 1 || r.Plans.Done != 1 {
			t.Fatalf("%+v", r)
		}
		if diff := cmp.Diff([]int{2, 2}, []int{r.Causes[0].Cases[0].Came, r.Causes[0].Cases[0].Tries}); diff != "" {
			t.Errorf("tries (-want +got):\n%s", diff)
		}
		if about := r.Causes[0].About; !strings.HasPrefix(about, "After it is deleted and created again, ") || !strings.Contains(about, "does not come to rest") {
			t.Errorf("about: %s", about)
		}
	}
	check(e)
	check(goOn(t, path))
	// What the bench could not carry out is told beside what diverges.
	if e.failed = 1; e.Report().Verdict != v1alpha1.Diverges || e.Report().Reason != "1 of 2 plans could not be carried out" {
		t.Errorf("%s, %q", e.Report().Verdict, e.Report().Reason)
	}
	// A plan of another shard is not concluded.
	elsewhere := exploring(nil)
	if _, err := elsewhere.restPlans([]Operation{recreate}, all); err != nil {
		t.Fatal(err)
	}
	if elsewhere.concludeShown(t.Context()); len(elsewhere.findings) > 0 {
		t.Errorf("concluded: %+v", elsewhere.findings)
	}
}
