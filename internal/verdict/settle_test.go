package verdict

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// row is a requirement that was judged, for the tests of settling.
type row struct {
	id, relies, judges string
	contract           string
	verdict            v1alpha1.ResultVerdict
	failure            string
	skipped            string // why it was
	excused            bool
	violations         []v1alpha1.Violation
}

func settled(rows []row) []v1alpha1.Result {
	round, results := judged(rows)
	Settle(round)
	return results
}

// judged rows, and their results, which settling changes.
func judged(rows []row) (round []Judged, results []v1alpha1.Result) {
	results = make([]v1alpha1.Result, len(rows))
	for n, r := range rows {
		results[n] = v1alpha1.Result{ID: r.id, Verdict: r.verdict, Reason: r.failure + r.skipped}
		requirement := catalogue.Requirement{ID: r.id, Contract: r.contract}
		if r.relies != "" {
			requirement.ReliesOn = []string{r.relies}
		}
		if r.judges != "" {
			requirement.Judges = []string{r.judges}
		}
		if len(r.violations) > 0 || r.excused {
			results[n].Evidence = &v1alpha1.Evidence{Violations: r.violations, Failure: r.failure, Excused: r.excused}
		}
		round = append(round, Judged{Requirement: requirement, Result: &results[n], Violations: r.violations, Failure: r.failure, Excused: r.excused})
	}
	return round, results
}

// TestSettlePassedBefore: a requirement that passed in an earlier run, whose results
// are kept, counts as judged.
func TestSettlePassedBefore(t *testing.T) {
	for passed, want := range map[string]string{
		"RC-001": "at x",
		"RC-005": "at x; it relies on what was not judged here: RC-001",
	} {
		round, results := judged([]row{{id: "RC-004", relies: "RC-001", verdict: v1alpha1.Failed, failure: "at x"}})
		round[0].Passed = []string{passed}
		if Settle(round); results[0].Reason != want {
			t.Errorf("if %s passed before: %q, want %q", passed, results[0].Reason, want)
		}
	}
}

func TestSettle(t *testing.T) {
	violation := func(rule, about string) []v1alpha1.Violation {
		return []v1alpha1.Violation{{Rule: rule, About: about, Message: "it did"}}
	}
	refused := violation("Forbidden", "create of services")
	for name, tc := range map[string]struct {
		rows []row
		want []string // verdict, with the cause where it is blocked
	}{
		"the cause failed": {
			[]row{{id: "CS-005", relies: "SH-003", verdict: "Failed", failure: "at x"}, {id: "SH-003", verdict: "Failed", failure: "at y"}},
			[]string{"Blocked SH-003", "Failed"},
		},
		"the cause was flaky": {
			[]row{{id: "CS-005", relies: "SH-003", verdict: "Failed", failure: "at x"}, {id: "SH-003", verdict: "Flaky", failure: "at y"}},
			[]string{"Blocked SH-003", "Flaky"},
		},
		"the cause of the cause": {
			[]row{
				{id: "RC-001", verdict: "Failed", failure: "at x"},
				{id: "SH-003", relies: "RC-001", verdict: "Inconclusive"},
				{id: "SH-009", relies: "SH-003", verdict: "Failed", failure: "at x"},
			},
			[]string{"Failed", "Blocked RC-001", "Blocked RC-001"},
		},
		"the bench is the cause": {
			[]row{
				{id: "IS-006", verdict: "Failed", failure: "at x"},
				{id: "CS-007", relies: "IS-006", verdict: "Inconclusive", excused: true},
				{id: "CS-009", relies: "IS-006", verdict: "Inconclusive"},
			},
			[]string{"Failed", "Inconclusive", "Blocked IS-006"},
		},
		"it passed all the same": {
			[]row{{id: "SH-003", verdict: "Failed", failure: "at x"}, {id: "SH-009", relies: "SH-003", verdict: "Passed"}},
			[]string{"Failed", "Passed"},
		},
		"the cause passed": {
			[]row{{id: "SH-003", verdict: "Passed"}, {id: "SH-009", relies: "SH-003", verdict: "Failed", failure: "at x"}},
			[]string{"Passed", "Failed"},
		},
		"the cause is not known": {
			[]row{{id: "SH-003", verdict: "Inconclusive"}, {id: "SH-009", relies: "SH-003", verdict: "Failed", failure: "at x"}},
			[]string{"Inconclusive", "Failed"},
		},
		"the cause failed by a violation alone": {
			[]row{{id: "SH-003", verdict: "Failed", violations: refused}, {id: "SH-009", relies: "SH-003", verdict: "Failed", failure: "at x"}},
			[]string{"Failed", "Failed"},
		},
		"a violation is judged at home": {
			[]row{
				{id: "RC-001", verdict: "Failed", violations: refused},
				{id: "RB-001", judges: "Forbidden", verdict: "Failed", violations: refused},
				{id: "SH-001", verdict: "Failed", violations: refused},
			},
			[]string{"Blocked RB-001", "Failed", "Blocked RB-001"},
		},
		"a violation is judged where it is first seen": {
			[]row{
				{id: "RC-001", verdict: "Failed", violations: refused},
				{id: "RB-001", judges: "Forbidden", verdict: "Passed"},
				{id: "SH-001", verdict: "Failed", violations: refused},
			},
			[]string{"Failed", "Passed", "Blocked RC-001"},
		},
		"a right is of its home, though that cannot be mapped": {
			[]row{
				{id: "RC-007", verdict: "Failed", violations: refused},
				{id: "RB-001", judges: "Forbidden", verdict: "Skipped", skipped: "cannot be mapped: no replicas"},
				{id: "SH-001", verdict: "Failed", violations: refused},
			},
			[]string{"Blocked RB-001", "Failed", "Blocked RB-001"},
		},
		"a right, and its home does not apply": {
			[]row{
				{id: "RC-007", verdict: "Failed", violations: refused},
				{id: "RB-001", judges: "Forbidden", verdict: "Skipped", skipped: "feature x is not claimed"},
			},
			[]string{"Failed", "Skipped"},
		},
		"a bystander, and one home of several cannot be mapped": {
			[]row{
				{id: "RC-007", verdict: "Failed", violations: violation("ForeignObject", "update of services")},
				{id: "IS-004", contract: catalogue.WebApps, judges: "ForeignObject", verdict: "Skipped", skipped: "cannot be mapped: no replicas"},
			},
			[]string{"Failed", "Skipped"},
		},
		"a right, and its home judged it": {
			[]row{
				{id: "RC-007", verdict: "Failed", violations: refused},
				{id: "RB-001", judges: "Forbidden", verdict: "Failed", violations: violation("Forbidden", "list of configmaps")},
			},
			[]string{"Failed", "Failed"},
		},
		"two rights of a home that cannot be mapped": {
			[]row{
				{id: "RC-007", verdict: "Failed", violations: refused},
				{id: "SH-001", verdict: "Failed", failure: "at x", violations: violation("Forbidden", "list of configmaps")},
				{id: "RB-001", judges: "Forbidden", verdict: "Skipped", skipped: "cannot be mapped: no replicas"},
			},
			[]string{"Blocked RB-001", "Blocked RB-001", "Failed"},
		},
		"two defects": {
			[]row{
				{id: "RC-001", verdict: "Failed", violations: refused},
				{id: "SH-001", verdict: "Failed", violations: violation("Forbidden", "list of configmaps")},
			},
			[]string{"Failed", "Failed"},
		},
		"a step that failed for it": {
			[]row{{id: "RC-001", verdict: "Failed", violations: refused}, {id: "SH-001", verdict: "Failed", failure: "at x", violations: refused}},
			[]string{"Failed", "Blocked RC-001"},
		},
		"a step that failed for the second of them": {
			[]row{
				{id: "ST-003", judges: "GenerationRaised", verdict: "Failed", violations: violation("GenerationRaised", "a")},
				{id: "LT-005", judges: "Crashed", verdict: "Failed", violations: violation("Crashed", "a")},
				{id: "SH-001", verdict: "Failed", failure: "at x", violations: append(violation("GenerationRaised", "a"), violation("Crashed", "a")...)},
			},
			[]string{"Failed", "Failed", "Blocked LT-005"},
		},
		"a step that failed beside it": {
			[]row{
				{id: "ST-003", judges: "GenerationRaised", verdict: "Failed", violations: violation("GenerationRaised", "a")},
				{id: "ST-004", verdict: "Failed", failure: "at x", violations: violation("GenerationRaised", "a")},
			},
			[]string{"Failed", "Failed"},
		},
		"what is proved stays": {
			[]row{
				{id: "SH-001", verdict: "Failed", failure: "at x"},
				{id: "LT-005", relies: "SH-001", judges: "Crashed", verdict: "Failed", failure: "at y", violations: violation("Crashed", "a")},
			},
			[]string{"Failed", "Failed"},
		},
		"nothing to conclude from": {
			[]row{{id: "RC-001", verdict: "Inconclusive", violations: violation("Crashed", "a")}, {id: "SH-001", verdict: "Failed", violations: violation("Crashed", "a")}},
			[]string{"Inconclusive", "Failed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range settled(tc.rows) {
				text := string(r.Verdict)
				if r.BlockedBy != "" {
					text += " " + r.BlockedBy
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(settled(tc.rows), settledInParts(t, tc.rows)); diff != "" {
				t.Errorf("first in parts, and then together (-at once +in parts):\n%s", diff)
			}
		})
	}
}

// settledInParts are results of which each was settled alone, and written into a report.
// What was found there is then settled together.
func settledInParts(t *testing.T, rows []row) []v1alpha1.Result {
	t.Helper()
	round, results := judged(rows)
	for n := range round {
		Settle(round[n : n+1])
		written, err := json.Marshal(results[n])
		if err != nil {
			t.Fatal(err)
		}
		var read v1alpha1.Result
		if err := json.Unmarshal(written, &read); err != nil {
			t.Fatal(err)
		}
		round[n] = Unsettled(round[n].Requirement, read)
	}
	Settle(round)
	for n := range round {
		results[n] = *round[n].Result
	}
	return results
}

func TestReasonsOfWhatIsSettled(t *testing.T) {
	again := []v1alpha1.Violation{{Rule: "GenerationRaised", About: "a", Message: "it did (#7)"}}
	got := settled([]row{
		{id: "SH-003", verdict: v1alpha1.Failed, failure: "at y"},
		{id: "CS-005", relies: "SH-003", verdict: v1alpha1.Failed, failure: "at x"},
		{id: "ST-003", judges: "GenerationRaised", verdict: v1alpha1.Failed, violations: again},
		{id: "ST-004", verdict: v1alpha1.Failed, failure: "at z", violations: again},
		{id: "SS-001", verdict: v1alpha1.Failed, violations: again},
		{id: "LT-006", relies: "RC-005", verdict: v1alpha1.Failed, failure: "at x"},
	})
	for id, want := range map[string]string{
		"CS-005": "blocked by SH-003: it relies on SH-003, which failed; itself it failed at x",
		"ST-004": "at z; beside it, GenerationRaised, which ST-003 has: it did (#7)",
		"SS-001": "blocked by ST-003: GenerationRaised, which ST-003 has: it did (#7)",
		"LT-006": "at x; it relies on what was not judged here: RC-005",
	} {
		for _, r := range got {
			if r.ID == id && r.Reason != want {
				t.Errorf("%s: %q, want %q", id, r.Reason, want)
			}
		}
	}
	want := []v1alpha1.Invariant{
		{Rule: "NotLeader", Verdict: v1alpha1.Passed},
		{Rule: "ForeignObject", Verdict: v1alpha1.Passed},
		{Rule: "ChildReplaced", Verdict: v1alpha1.Passed},
		{Rule: "GenerationRaised", Verdict: v1alpha1.Failed, About: "a", SeenIn: []string{"ST-003", "ST-004", "SS-001"}},
		{Rule: "Forbidden", Verdict: v1alpha1.Passed},
		{Rule: "Crashed", Verdict: v1alpha1.Passed},
		{Rule: "HotLoop", Verdict: v1alpha1.Passed},
		{Rule: "Restless", Verdict: v1alpha1.Passed},
		{Rule: "Disowned", Verdict: v1alpha1.Passed},
	}
	if diff := cmp.Diff(want, Invariants(got)); diff != "" {
		t.Errorf("invariants (-want +got):\n%s", diff)
	}
}

// TestReasonOfWhatIsAdopted: if the scenario of a requirement did not run, another
// scenario may have seen the violation. The requirement fails then, names that
// scenario, and has its evidence.
func TestReasonOfWhatIsAdopted(t *testing.T) {
	refused := []v1alpha1.Violation{{Rule: "Forbidden", About: "list of endpoints", Message: "no right (#7)"}}
	round, results := judged([]row{
		{id: "RC-007", verdict: v1alpha1.Failed, violations: refused},
		{id: "RB-001", judges: "Forbidden", verdict: v1alpha1.Skipped, skipped: "cannot be mapped: no replicas"},
	})
	results[0].Evidence.Requests, results[0].Evidence.Reproduce = []string{"#7 list endpoints"}, "reconform run --run '^RC-007$'"
	Settle(round)
	want := v1alpha1.Result{
		ID: "RB-001", Verdict: v1alpha1.Failed, Reason: "Forbidden: no right (#7); seen in the scenario of RC-007, as its own cannot be mapped: no replicas",
		Itself: &v1alpha1.Itself{Verdict: v1alpha1.Skipped, Reason: "cannot be mapped: no replicas"},
		Evidence: &v1alpha1.Evidence{
			Violations: refused, Requests: []string{"#7 list endpoints"}, Reproduce: "reconform run --run '^RC-007$'",
		},
	}
	if diff := cmp.Diff(want, results[1]); diff != "" {
		t.Errorf("RB-001 (-want +got):\n%s", diff)
	}
	for _, i := range Invariants(results) {
		if i.Rule == "Forbidden" && !cmp.Equal(i.SeenIn, []string{"RC-007"}) {
			t.Errorf("Forbidden was seen in %v", i.SeenIn)
		}
	}
}

// TestAtLarge: one requirement judges ForeignObject of whatever kind. If its scenario did not run,
// what others saw counts for it, and not for the first that saw it, which is about something else.
func TestAtLarge(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	homes := map[string]catalogue.Requirement{}
	var atAll []string
	for _, r := range all {
		if homes[r.ID] = r; judgesAllKinds(r, v1alpha1.RuleForeignObject) {
			atAll = append(atAll, r.ID)
		}
	}
	if diff := cmp.Diff([]string{"IS-011"}, atAll); diff != "" {
		t.Fatalf("ForeignObject at large (-want +got):\n%s", diff)
	}
	foreign := []v1alpha1.Violation{{Rule: v1alpha1.RuleForeignObject, About: "delete of configmaps", Message: "deleted it (#7)"}}
	for reason, want := range map[string]string{
		Unmapped + "no replicas":         "Failed ForeignObject: deleted it (#7); seen in the scenario of CD-001, as its own cannot be mapped: no replicas",
		NotJudged + "the time was over":  "Failed ForeignObject: deleted it (#7); seen in the scenario of CD-001, as its own was not judged: the time was over",
		"feature service is not claimed": "Skipped feature service is not claimed",
	} {
		round, results := judged([]row{
			{id: "CD-001", verdict: v1alpha1.Failed, violations: foreign},
			{id: "IS-003", verdict: v1alpha1.Skipped, skipped: reason},
			{id: "IS-011", verdict: v1alpha1.Skipped, skipped: reason},
		})
		round[0].Without = &v1alpha1.Itself{Verdict: v1alpha1.Passed}
		for n := 1; n < len(round); n++ {
			round[n].Requirement = homes[round[n].Requirement.ID]
		}
		Settle(round)
		if got := string(results[2].Verdict) + " " + results[2].Reason; got != want {
			t.Errorf("%s: IS-011 %q, want %q", reason, got, want)
		}
		if passed := results[0].Verdict == v1alpha1.Passed; passed != Fails(results[2].Verdict) || results[1].Verdict != v1alpha1.Skipped {
			t.Errorf("%s: CD-001 is %s, IS-003 is %s", reason, results[0].Verdict, results[1].Verdict)
		}
	}
}

// TestHasOneJudge: hasOneJudge is true exactly for the rules that one requirement judges.
func TestHasOneJudge(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	judges := map[string]int{}
	for _, r := range all {
		for _, rule := range r.Judges {
			judges[rule]++
		}
	}
	for rule, n := range judges {
		if hasOneJudge(rule) != (n == 1) {
			t.Errorf("%d requirements judge %s, and hasOneJudge says %t", n, rule, hasOneJudge(rule))
		}
	}
}
