package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

func TestClasses(t *testing.T) {
	feature := func(id string, names ...v1alpha1.Feature) catalogue.Requirement {
		return catalogue.Requirement{ID: id, Level: catalogue.Extended, Features: names}
	}
	all := []catalogue.Requirement{
		{ID: "RC-001", Level: catalogue.Core},
		{ID: "RC-005", Level: catalogue.Core},
		feature("RC-007", "env"),
		feature("RC-002", "service"), feature("ST-001", "status"), feature("ST-005", "conditions"),
		feature("LF-001", "leader-election"), feature("OB-002", "health"),
		{ID: "RB-001", Area: "rbac", Level: catalogue.Core},
		{ID: "RB-002", Area: "rbac", Level: catalogue.Advice},
	}
	claims := v1alpha1.Claims{Features: []v1alpha1.Feature{"service", "status", "conditions", "health"}}
	passed := map[string]v1alpha1.ResultVerdict{
		"RC-001": "Passed", "RC-005": "Passed", "RC-002": "Passed", "ST-001": "Passed", "ST-005": "Passed", "OB-002": "Passed", "RB-001": "Passed", "RB-002": "Passed",
	}
	for name, tc := range map[string]struct {
		changed map[string]v1alpha1.ResultVerdict
		want    string
	}{
		"all passed": {nil, "conformant: Core, Service, Status, Observability, Security; not claimed: High availability"},
		"one failed": {
			map[string]v1alpha1.ResultVerdict{"ST-005": "Failed"},
			"not conformant: Status; conformant: Core, Service, Observability, Security; not claimed: High availability",
		},
		"one flaky, one not exercised": {
			map[string]v1alpha1.ResultVerdict{"RC-002": "Flaky", "RC-005": "NotExercised"},
			"not conformant: Service; partial: Core; conformant: Status, Observability, Security; not claimed: High availability",
		},
		"an optional one not judged": {
			map[string]v1alpha1.ResultVerdict{"ST-005": "Inconclusive"},
			"partial: Status (1 of 2); conformant: Core, Service, Observability, Security; not claimed: High availability",
		},
		"an inconclusive and one that was not selected": {
			map[string]v1alpha1.ResultVerdict{"RC-002": "Inconclusive", "OB-002": ""},
			"conformant: Core, Status, Security; not judged: Service, Observability; not claimed: High availability",
		},
		"a failing advice": {
			map[string]v1alpha1.ResultVerdict{"RB-002": "Failed"},
			"not conformant: Security; conformant: Core, Service, Status, Observability; not claimed: High availability",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var results []v1alpha1.Result
			for _, r := range all {
				v := passed[r.ID]
				if changed, ok := tc.changed[r.ID]; ok {
					v = changed
				}
				if v != "" {
					results = append(results, v1alpha1.Result{ID: r.ID, Verdict: v})
				}
			}
			if diff := cmp.Diff(tc.want, Headline(Classes(all, claims, results))); diff != "" {
				t.Errorf("headline (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTally counts a requirement that ran several times once.
func TestTally(t *testing.T) {
	all := []catalogue.Requirement{{ID: "RC-001", Level: catalogue.Core}, {ID: "RC-005", Level: catalogue.Core}, {ID: "RC-009", Level: catalogue.Core}}
	results := []v1alpha1.Result{
		{ID: "RC-001", Verdict: v1alpha1.Passed},
		{ID: "RC-001", Verdict: v1alpha1.Failed},
		{ID: "RC-001", Verdict: v1alpha1.Passed},
		{ID: "RC-005", Verdict: v1alpha1.Blocked, BlockedBy: "RC-001"},
	}
	got := Classes(all, v1alpha1.Claims{}, results)[0]
	want := v1alpha1.ClassResult{
		Name: "Core", Verdict: v1alpha1.ClassNotConformant, Required: v1alpha1.Tally{Failed: 2, NotJudged: 1, Total: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("class (-want +got):\n%s", diff)
	}
}

// TestSummaryOfWhatIsCutShort: what was not reached is not among the skipped ones.
func TestSummaryOfWhatIsCutShort(t *testing.T) {
	r := &v1alpha1.ConformanceReport{
		CutShort: &v1alpha1.CutShort{NotJudged: []string{"B", "C"}},
		Results:  []v1alpha1.Result{{ID: "A", Verdict: v1alpha1.Skipped}, {ID: "B", Verdict: v1alpha1.Skipped}, {ID: "C", Verdict: v1alpha1.Passed}},
	}
	if got, want := Summary(r), (v1alpha1.Summary{Passed: 1, Skipped: 1, NotJudged: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
