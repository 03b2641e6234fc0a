package verdict

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestRepeatable(t *testing.T) {
	violation := func(rule string) []v1alpha1.Violation { return []v1alpha1.Violation{{Rule: rule}} }
	for name, tc := range map[string]struct {
		facts facts
		want  bool
	}{
		"too late":          {facts{Ran: true, Finished: true, Failure: "at x"}, true},
		"lost its Lease":    {facts{Ran: true, Finished: true, Violations: violation(v1alpha1.RuleNotLeader)}, true},
		"proved":            {facts{Ran: true, Finished: true, Failure: "at x", Violations: violation("HotLoop")}, false},
		"never ran":         {facts{}, false},
		"was refused":       {facts{Ran: true, Finished: true, Refused: "at x"}, false},
		"without a Node":    {facts{Ran: true, Finished: true, Unscheduled: "Pod a"}, false},
		"the bench's fault": {facts{Ran: true, BenchFailure: "etcd died"}, false},
	} {
		if got := tc.facts.repeatable(); got != tc.want {
			t.Errorf("%s: repeatable = %t, want %t", name, got, tc.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	broken := []v1alpha1.Violation{{Rule: "Crashed", Message: "it ended (#3)", Requests: []int64{3}}}
	for name, tc := range map[string]struct {
		facts  facts
		want   v1alpha1.ResultVerdict
		reason string
	}{
		"passed": {facts{Ran: true, Finished: true, Passed: true}, v1alpha1.Passed, ""},
		"failed": {facts{Ran: true, Finished: true, Failure: "assert: no"}, v1alpha1.Failed, "assert: no"},
		"failed without a reason": {
			facts{Ran: true, Finished: true},
			v1alpha1.ResultInconclusive,
			"the scenario failed without saying at which step",
		},
		"never ran": {facts{}, v1alpha1.ResultInconclusive, "the scenario never ran"},
		"cut short": {facts{Ran: true}, v1alpha1.ResultInconclusive, "the scenario was cut short"},
		"bench broke while it passed": {
			facts{Ran: true, Finished: true, Passed: true, BenchFailure: "etcd died"},
			v1alpha1.ResultInconclusive, "etcd died",
		},
		"bench broke while it failed": {
			facts{Ran: true, Finished: true, Failure: "assert: no", BenchFailure: "etcd died"},
			v1alpha1.ResultInconclusive, "etcd died",
		},
		"server errors of its own": {
			facts{Ran: true, Finished: true, Passed: true, Unordered: []string{"500 on update deployments"}},
			v1alpha1.ResultInconclusive,
			"the API server answered with errors that nobody ordered: 500 on update deployments",
		},
		"passed, and did what must never be done": {
			facts{Ran: true, Finished: true, Passed: true, Violations: broken},
			v1alpha1.Failed, "Crashed: it ended (#3)",
		},
		"did much that must never be done": {
			facts{Ran: true, Finished: true, Passed: true, Violations: slices.Repeat(broken, 5)},
			v1alpha1.Failed, "Crashed: it ended (#3); Crashed: it ended (#3); Crashed: it ended (#3); 2 more violations",
		},
		"failed, and did what must never be done": {
			facts{Ran: true, Finished: true, Failure: "at x", Violations: broken, Faults: firingList{{object: "Fault/f"}}},
			v1alpha1.Failed, "Crashed: it ended (#3); the scenario failed at x",
		},
		"did what must never be done, while the API server broke": {
			facts{Ran: true, Finished: true, Passed: true, Violations: broken, Unordered: []string{"500"}},
			v1alpha1.ResultInconclusive, "the API server answered with errors that nobody ordered: 500",
		},
		"passed, though a fault never fired": {
			facts{Ran: true, Finished: true, Passed: true, Faults: firingList{{object: "Fault/f"}}},
			v1alpha1.ResultInconclusive, "Fault/f never fired",
		},
		"failed, and a fault never fired": {
			facts{Ran: true, Finished: true, Failure: "at x", Faults: firingList{{object: "Fault/f"}}},
			v1alpha1.ResultInconclusive, "Fault/f never fired; the scenario failed at x",
		},
		"failed, because its own request had no answer": {
			facts{Ran: true, Finished: true, Unanswered: "at x"},
			v1alpha1.ResultInconclusive, "the API server did not answer the scenario in time: at x",
		},
		"failed, because its own request was refused": {
			facts{Ran: true, Finished: true, Refused: "bench error: windowMs is too large"},
			v1alpha1.ResultInconclusive, "bench error: windowMs is too large",
		},
		"did what must never be done, and had no answer": {
			facts{Ran: true, Finished: true, Unanswered: "at x", Violations: broken},
			v1alpha1.Failed, "Crashed: it ended (#3)",
		},
		"failed before it was judged": {
			facts{Ran: true, Finished: true, Unprepared: "at x"},
			v1alpha1.ResultInconclusive, "the scenario could not be carried out: it failed at x",
		},
		"did what must never be done, and could not be carried out": {
			facts{Ran: true, Finished: true, Unprepared: "at x", Violations: broken},
			v1alpha1.Failed, "Crashed: it ended (#3)",
		},
		"failed while a Pod had no Node": {
			facts{Ran: true, Finished: true, Unscheduled: "Pod a cannot be scheduled: none; the scenario failed at x"},
			v1alpha1.ResultInconclusive, "Pod a cannot be scheduled: none; the scenario failed at x",
		},
		"did what must never be done while a Pod had no Node": {
			facts{Ran: true, Finished: true, Unscheduled: "Pod a", Violations: broken},
			v1alpha1.Failed, "Crashed: it ended (#3)",
		},
		"failed without an exec": {
			facts{Ran: true, Finished: true, Unserved: "#3 create pods/exec a: 501; the scenario failed at x"},
			v1alpha1.ResultInconclusive, "#3 create pods/exec a: 501; the scenario failed at x",
		},
		"did what must never be done without an exec": {
			facts{Ran: true, Finished: true, Unserved: "#3", Violations: broken},
			v1alpha1.Failed, "Crashed: it ended (#3)",
		},
		"failed on a machine without time": {
			facts{Ran: true, Finished: true, Failure: "at x", Starved: "too busy"},
			v1alpha1.ResultInconclusive, "too busy; the scenario failed at x",
		},
		"crashed on a machine without time": {
			facts{Ran: true, Finished: true, Passed: true, Starved: "too busy", Violations: broken},
			v1alpha1.ResultInconclusive, "too busy; Crashed: it ended (#3)",
		},
		"was hot on a machine without time": {
			facts{Ran: true, Finished: true, Failure: "at x", Starved: "too busy", Violations: []v1alpha1.Violation{{Rule: "HotLoop", Message: "hot (#3)"}}},
			v1alpha1.Failed, "HotLoop: hot (#3); the scenario failed at x",
		},
		"proved on a machine without time": {
			facts{Ran: true, Finished: true, Failure: "at x", Proved: true, Starved: "too busy"},
			v1alpha1.Failed, "at x",
		},
		"was hot, while the API server broke": {
			facts{Ran: true, Finished: true, Passed: true, Unordered: []string{"500"}, Violations: []v1alpha1.Violation{{Rule: "HotLoop", Message: "hot (#3)"}}},
			v1alpha1.Failed, "HotLoop: hot (#3)",
		},
		"passed, and a fault fired too seldom": {
			facts{Ran: true, Finished: true, Passed: true, Faults: firingList{{object: "Fault/f", fired: true, has: "has to fire 3 times"}}},
			v1alpha1.ResultInconclusive, "the scenario passed, but Fault/f fired, but has to fire 3 times",
		},
		"failed, and a fault fired too seldom": {
			facts{Ran: true, Finished: true, Failure: "at x", Faults: firingList{{object: "Fault/f", fired: true}}},
			v1alpha1.Failed, "at x",
		},
		"passed by an exemption": {
			facts{Ran: true, Finished: true, Passed: true, Exempted: []string{"Traffic/reads: 9 reads"}},
			v1alpha1.Skipped, "exempted: it passed only because the profile exempts requests: Traffic/reads: 9 reads",
		},
		"failed, beside an exemption": {
			facts{Ran: true, Finished: true, Failure: "at x", Exempted: []string{"Traffic/reads: 9 reads"}},
			v1alpha1.Failed, "at x",
		},
		"passed, and nothing was tried": {
			facts{Ran: true, Finished: true, Passed: true, Optional: true},
			v1alpha1.NotExercised, "it passed, but none of its Faults fired: the controller sends none of the requests that they are about",
		},
		"passed on a machine without time": {
			facts{Ran: true, Finished: true, Passed: true, Starved: "too busy"},
			v1alpha1.Passed, "",
		},
		"passed without any traffic": {
			facts{Ran: true, Finished: true, Passed: true, NoTraffic: true},
			v1alpha1.ResultInconclusive,
			"the scenario passed, but no request of the subject was ever seen",
		},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, reason := tc.facts.verdict()
			if diff := cmp.Diff([2]string{string(tc.want), tc.reason}, [2]string{string(verdict), reason}); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOfRun(t *testing.T) {
	row := func(id string, v v1alpha1.ResultVerdict) v1alpha1.Result { return v1alpha1.Result{ID: id, Verdict: v} }
	all := []string{"RC-001", "RC-005"} // of the core
	first, second := row("RC-001", v1alpha1.Passed), row("RC-005", v1alpha1.Passed)
	for name, tc := range map[string]struct {
		results []v1alpha1.Result
		judged  int
		want    v1alpha1.Verdict
		status  int
	}{
		"all passed":                   {[]v1alpha1.Result{first, second, row("RC-002", v1alpha1.Passed)}, 2, v1alpha1.Conformant, 0},
		"an extended row skipped":      {[]v1alpha1.Result{first, second, row("RC-002", v1alpha1.Skipped)}, 2, v1alpha1.Conformant, 0},
		"an extended row not selected": {[]v1alpha1.Result{first, second}, 2, v1alpha1.Conformant, 0},
		"a core row skipped":           {[]v1alpha1.Result{first, row("RC-005", v1alpha1.Skipped)}, 1, v1alpha1.Partial, 0},
		"a core row not selected":      {[]v1alpha1.Result{first}, 1, v1alpha1.Partial, 0},
		"no core row selected":         {[]v1alpha1.Result{row("RC-002", v1alpha1.Passed)}, 0, v1alpha1.Partial, 0},
		"one of them twice":            {[]v1alpha1.Result{first, first}, 1, v1alpha1.Partial, 0},
		"one failed, others left out":  {[]v1alpha1.Result{row("RC-001", v1alpha1.Failed)}, 1, v1alpha1.NotConformant, 1},
		"one inconclusive":             {[]v1alpha1.Result{first, row("RC-005", v1alpha1.ResultInconclusive)}, 1, v1alpha1.Inconclusive, 3},
		"failed beats inconclusive": {
			[]v1alpha1.Result{row("RC-002", v1alpha1.Failed), row("RC-001", v1alpha1.ResultInconclusive)}, 0, v1alpha1.NotConformant, 1,
		},
		"a core row not exercised": {[]v1alpha1.Result{first, row("RC-005", v1alpha1.NotExercised)}, 1, v1alpha1.Partial, 0},
		"flaky":                    {[]v1alpha1.Result{first, row("RC-005", v1alpha1.Flaky)}, 2, v1alpha1.NotConformant, 1},
		"blocked by what failed":   {[]v1alpha1.Result{row("RC-001", v1alpha1.Failed), row("RC-005", v1alpha1.Blocked)}, 1, v1alpha1.NotConformant, 1},
		"never started":            {[]v1alpha1.Result{row("RC-001", v1alpha1.Blocked), row("RC-005", v1alpha1.Blocked)}, 0, v1alpha1.Inconclusive, 3},
		"everything skipped":       {[]v1alpha1.Result{row("RC-001", v1alpha1.Skipped)}, 0, v1alpha1.Inconclusive, 3},
		"nothing at all":           {nil, 0, v1alpha1.Inconclusive, 3},
	} {
		t.Run(name, func(t *testing.T) {
			core := Core(tc.results, all)
			if diff := cmp.Diff(v1alpha1.Coverage{Judged: tc.judged, Total: 2}, core); diff != "" {
				t.Errorf("Core (-want +got):\n%s", diff)
			}
			got := ofRun(tc.results, core)
			if got != tc.want || ExitStatus(got) != tc.status {
				t.Errorf("ofRun = %s with status %d, want %s with status %d", got, ExitStatus(got), tc.want, tc.status)
			}
		})
	}
}

func TestNotPassed(t *testing.T) {
	var results []v1alpha1.Result
	for _, v := range []v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.Failed, v1alpha1.Skipped, v1alpha1.ResultInconclusive, v1alpha1.Blocked, v1alpha1.Flaky, v1alpha1.NotExercised} {
		results = append(results, v1alpha1.Result{ID: string(v), Verdict: v})
	}
	var ids []string
	for _, result := range NotPassed(results) {
		ids = append(ids, result.ID)
	}
	if diff := cmp.Diff([]string{"Failed", "Inconclusive", "Blocked", "Flaky"}, ids); diff != "" {
		t.Errorf("not passed (-want +got):\n%s", diff)
	}
}

// TestExcused: nothing is concluded if the reason may be something else than the
// controller.
func TestExcused(t *testing.T) {
	unfired := firingList{{object: "Fault/f"}}
	for name, tc := range map[string]struct {
		facts facts
		want  bool
	}{
		"the bench broke":       {facts{Ran: true, BenchFailure: "etcd died", Unprepared: "at x"}, true},
		"it was barred":         {facts{Ran: true, Finished: true, Barred: "#3 create namespaces", Unprepared: "at x"}, true},
		"a process of a Pod":    {facts{Ran: true, Finished: true, Unserved: "#3 create pods/exec a: 501"}, true},
		"errors of the server":  {facts{Ran: true, Finished: true, Unordered: []string{"500"}, Unprepared: "at x"}, true},
		"too busy":              {facts{Ran: true, Finished: true, Failure: "at x", Starved: "too busy"}, true},
		"the profile":           {facts{Ran: true, Finished: true, Misfit: "at x"}, true},
		"not all bystanders":    {facts{Ran: true, Finished: true, Passed: true, NoBystanders: "no right"}, true},
		"something was missing": {facts{Ran: true, Finished: true, Unprepared: "at x"}, false},
		"a Fault met nothing":   {facts{Ran: true, Finished: true, Unserved: "", Failure: "at x", Faults: unfired}, false},
		"it was cut short":      {facts{Ran: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if verdict, _ := tc.facts.verdict(); verdict != v1alpha1.ResultInconclusive {
				t.Fatalf("the verdict is %s", verdict)
			}
			if got := tc.facts.excused(); got != tc.want {
				t.Errorf("excused = %t, want %t", got, tc.want)
			}
		})
	}
}
