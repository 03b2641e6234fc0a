package page

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/invariant"
	about "reconform.dev/reconform/internal/report/evidence"
)

// TestRest: the page has the command that judges what the run left out.
func TestRest(t *testing.T) {
	for name, tc := range map[string]struct {
		report v1alpha1.ConformanceReport
		want   rest
	}{
		"nothing is left": {v1alpha1.ConformanceReport{}, rest{}},
		"not selected":    {v1alpha1.ConformanceReport{JudgeRest: "reconform run"}, rest{"Judge all", "reconform run"}},
		"not reached": {
			v1alpha1.ConformanceReport{JudgeRest: "reconform run --rerun-failed", CutShort: &v1alpha1.CutShort{NotJudged: []string{"RC-001"}}},
			rest{"Judge what was not reached, and keep these results", "reconform run --rerun-failed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, restOf(&tc.report)); diff != "" {
				t.Errorf("the rest (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNeverHappens: the page says of each invariant what breaks it, in the words of
// docs/verdict.md, which may say more after a comma.
func TestNeverHappens(t *testing.T) {
	data, err := os.ReadFile("../../../docs/verdict.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range invariant.Names() {
		row := regexp.MustCompile(`(?m)^\| ` + rule + ` \| [^|]+ \| ([^|]+) \|$`).FindSubmatch(data)
		if row == nil {
			t.Errorf("docs/verdict.md has no row for %s in the table of invariants", rule)
			continue
		}
		words, documented := about.NeverHappens(rule), string(row[1])
		if words == "" || documented != words && !strings.HasPrefix(documented, words+", ") {
			t.Errorf("%s: the page says %q, and docs/verdict.md says %q", rule, words, documented)
		}
	}
}

// TestElsewhere: if a scenario failed only because an invariant was broken in it, the page says
// what that demands, and not the MUST of the scenario, nor what its own step found.
func TestElsewhere(t *testing.T) {
	r := &v1alpha1.Result{ID: "CD-002", Verdict: v1alpha1.Failed, Must: "No child is created.", Evidence: &v1alpha1.Evidence{
		Violations: []v1alpha1.Violation{{Rule: v1alpha1.RuleCrashed, Message: "subject-0 ended by itself"}},
		Symptoms:   []v1alpha1.Symptom{{Seen: "the controller created deployments.apps demo"}},
	}}
	e := newEntry(r, nil, &v1alpha1.ConformanceReport{})
	if !strings.HasPrefix(e.Must, "The process of the controller does not end by itself.") || e.Mistake != "Its process ends by itself" || len(e.Seen) > 0 {
		t.Errorf("the page says %q, %q and %q", e.Mistake, e.Must, e.Seen)
	}
	r.Evidence.Catches = "recreates children while deleting"
	if e := newEntry(r, nil, &v1alpha1.ConformanceReport{}); e.Must != r.Must || len(e.Seen) != 1 {
		t.Errorf("if its own step failed, too, the page says %q and %q", e.Must, e.Seen)
	}
}
