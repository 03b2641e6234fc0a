package verdict

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

func TestBusy(t *testing.T) {
	for name, tc := range map[string]struct {
		scenario string
		answers  []time.Duration
		scale    float64
		crowded  bool
		starved  string
	}{
		"idle":          {inNamespace, []time.Duration{time.Millisecond, 2 * time.Millisecond}, 1, false, ""},
		"one slow":      {"elsewhere", []time.Duration{2 * time.Second}, 1, true, ""},
		"one very slow": {"elsewhere", []time.Duration{6 * time.Second}, 1, true, "the API server took 6s to answer GET /api (#1)"},
		"most slow":     {inNamespace, slices.Repeat([]time.Duration{700 * time.Millisecond}, 3), 1, true, ""},
		"all very slow": {inNamespace, []time.Duration{2 * time.Second, time.Millisecond, 4100 * time.Millisecond}, 1, true, "within 15s, the controller waited 6.1s for 2 slow answers of the API server (#1 to #3)"},
		"others' slow":  {"elsewhere", slices.Repeat([]time.Duration{1500 * time.Millisecond}, 10), 1, false, ""},
		"more allowed":  {inNamespace, []time.Duration{3 * time.Second, 4 * time.Second}, 4, false, ""},
		"a tight loop":  {inNamespace, slices.Repeat([]time.Duration{200 * time.Millisecond}, 100), 1, false, ""},
		"now and then":  {inNamespace, append(slices.Repeat([]time.Duration{400 * time.Millisecond}, 50), 1900*time.Millisecond), 1, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				test := &chainsaw.Test{Started: time.Now()}
				for _, answer := range tc.answers {
					request := recorder.Begin(history.Request{Scenario: tc.scenario, Verb: "get", Method: "GET", Path: "/api"})
					time.Sleep(answer)
					request.Finish(func(r *history.Request) { r.Code = 200 })
				}
				c := Case{Test: test, Ended: time.Now(), Account: recorder.Account(inNamespace), TimeoutScale: tc.scale}
				if slowest, found := recorder.Slowest(test.Started, c.Ended); found {
					c.Slowest = &slowest
				}
				if diff := cmp.Diff(tc.starved, c.busy(starving)); diff != "" {
					t.Errorf("busy by the bounds of starving (-want +got):\n%s", diff)
				}
				if got := c.crowded(facts{}); got != tc.crowded {
					t.Errorf("crowded = %t, want %t", got, tc.crowded)
				}
				if !c.crowded(facts{Unordered: []string{"#1 504"}}) || !c.crowded(facts{Unanswered: "at x"}) {
					t.Error("what the API server did not answer does not tell that the machine was crowded")
				}
			})
		})
	}
}

// TestBusyNodes: slow Pods tell whether the nodes were busy.
func TestBusyNodes(t *testing.T) {
	for name, tc := range map[string]struct {
		took    time.Duration
		scale   float64
		crowded bool
		starved string
	}{
		"quick":        {4 * time.Second, 1, false, ""},
		"slow":         {5 * time.Second, 1, true, ""},
		"very slow":    {15 * time.Second, 1, true, "the nodes took 15s for Pod/demo-1 (it is Pending)"},
		"more allowed": {15 * time.Second, 4, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Test: &chainsaw.Test{}, TimeoutScale: tc.scale, Account: history.Account{Events: []history.Event{
				{Reason: history.SubjectStarted},
				{Reason: history.PodSlow, Object: "Pod/demo-1", Message: "it is Pending", Took: metav1.Duration{Duration: tc.took}},
			}}}
			if got := c.busy(starving); got != tc.starved {
				t.Errorf("starved: %q, want %q", got, tc.starved)
			}
			if got := c.crowded(facts{}); got != tc.crowded {
				t.Errorf("crowded = %t, want %t", got, tc.crowded)
			}
		})
	}
}

// TestBusyBesideAViolation: what was too late on a busy machine accuses nobody, also if
// something else was violated in the scenario, which is judged elsewhere.
func TestBusyBesideAViolation(t *testing.T) {
	for name, tc := range map[string]struct {
		answer time.Duration
		proved bool
		want   v1alpha1.ResultVerdict // without the violation; empty if the failure counts
	}{
		"a busy machine":             {700 * time.Millisecond, false, v1alpha1.ResultInconclusive},
		"a very busy one":            {3 * time.Second, false, v1alpha1.ResultInconclusive},
		"an idle one":                {time.Millisecond, false, ""},
		"a busy one, what is proved": {700 * time.Millisecond, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				test := &chainsaw.Test{Finished: true, Started: time.Now(), Failures: []chainsaw.Failure{
					{Step: "Then all are there", Operation: "assert", Message: "* spec: no", Proved: tc.proved},
				}}
				recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
				recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed, Message: "exited with status 1"})
				for range 3 {
					request := recorder.Begin(history.Request{Scenario: inNamespace, Subject: subjectName, Verb: "get", Method: "GET", Path: "/api"})
					time.Sleep(tc.answer)
					request.Finish(func(r *history.Request) { r.Code = 200 })
				}
				found := Judge(Case{
					Requirement: catalogue.Requirement{ID: "ND-004"}, Contract: contract(t),
					Test: test, Ended: time.Now(), Account: recorder.Account(inNamespace), TimeoutScale: 1,
				})
				if len(found.Violations) == 0 {
					t.Fatal("nothing was violated")
				}
				got := v1alpha1.ResultVerdict("")
				if found.Without != nil {
					got = found.Without.Verdict
				}
				if got != tc.want {
					t.Errorf("without the violation %q, want %q: %+v", got, tc.want, found.Without)
				}
			})
		})
	}
}

// TestTimeEnoughBesideAViolation: where no second look is possible, a few slow answers do not
// excuse what did not happen in a much longer time.
func TestTimeEnoughBesideAViolation(t *testing.T) {
	for name, tc := range map[string]struct {
		before, slow int           // slow answers before the When, and after it
		waits        time.Duration // after them, until the step fails
		pod          time.Duration // for which the nodes are slow
		scale        float64
		counts       bool
	}{
		"three in a minute":                  {0, 3, time.Minute, 0, 1, true},
		"three in ten seconds":               {0, 3, 8 * time.Second, 0, 1, false},
		"slow all the time":                  {0, 60, 18 * time.Second, 0, 1, false},
		"slow before it began":               {20, 0, 20 * time.Second, 0, 1, true},
		"a Pod that came late":               {3, 0, 30 * time.Second, 7 * time.Second, 1, false},
		"three in a minute, times ten":       {0, 3, time.Minute, 0, 10, false},
		"slow before it began, and at once":  {20, 0, time.Second, 0, 1, false},
		"three in a minute, and a quick Pod": {0, 3, time.Minute, time.Second, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				event := func(reason, message string) {
					recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: reason, Message: message})
				}
				answers := func(number int) {
					for range number {
						request := recorder.Begin(history.Request{Scenario: inNamespace, Subject: subjectName, Verb: "get", Method: "GET", Path: "/api"})
						time.Sleep(time.Duration(700 * tc.scale * float64(time.Millisecond)))
						request.Finish(func(r *history.Request) { r.Code = 200 })
					}
				}
				test := &chainsaw.Test{Finished: true, Started: time.Now(), Failures: []chainsaw.Failure{
					{Step: "Then all are there", Operation: "assert", Message: "* spec: no"},
				}}
				event(history.SubjectStarted, "")
				recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed, Message: "exited with status 1"})
				event(history.StepBegan, "Given the controller")
				answers(tc.before)
				event(history.StepBegan, "Then it is there")
				event(history.StepBegan, "When one is deleted")
				answers(tc.slow)
				event(history.StepBegan, "Then all are there")
				if tc.pod > 0 {
					recorder.Event(history.Event{Scenario: inNamespace, Reason: history.PodSlow, Took: metav1.Duration{Duration: tc.pod}})
				}
				time.Sleep(tc.waits)
				event(history.StepFailed, "Then all are there")
				found := Judge(Case{
					Requirement: catalogue.Requirement{ID: "SH-001"}, Contract: contract(t),
					Test: test, Ended: time.Now(), Account: recorder.Account(inNamespace), TimeoutScale: tc.scale,
				})
				if len(found.Violations) == 0 {
					t.Fatal("nothing was violated")
				}
				if counts := found.Without == nil; counts != tc.counts {
					t.Errorf("the step counts: %t, want %t; without the violation: %+v", counts, tc.counts, found.Without)
				}
			})
		})
	}
}
