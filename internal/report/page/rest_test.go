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
