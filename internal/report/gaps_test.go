package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestGaps: each core requirement that was not judged is named with the reason, and the
// verdict claims no more than was judged.
func TestGaps(t *testing.T) {
	all := []catalogue.Requirement{
		{ID: "RC-001", Level: catalogue.Core},
		{ID: "RC-004", Level: catalogue.Core},
		{ID: "SH-001", Level: catalogue.Core},
		{ID: "SH-002", Level: catalogue.Extended},
		{ID: "LT-007", Level: catalogue.Core},
	}
	result := func(id string, v v1alpha1.ResultVerdict, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Level: catalogue.Core, Verdict: v, Reason: reason}
	}
	const unmapped = "cannot be mapped: it changes port of demo"
	for name, tc := range map[string]struct {
		verdict v1alpha1.Verdict
		results []v1alpha1.Result
		cut     *v1alpha1.CutShort
		gaps    []Gap
		want    string
	}{
		"all passed": {
			v1alpha1.Conformant,
			[]v1alpha1.Result{result("RC-001", "Passed", ""), result("RC-004", "Passed", ""), result("SH-001", "Passed", ""), result("LT-007", "Passed", "")},
			nil, nil, "conformant: all 4 core requirements were judged, and nothing failed",
		},
		"one was selected": {
			v1alpha1.Partial,
			[]v1alpha1.Result{result("RC-001", "Passed", "")},
			nil,
			[]Gap{{notSelected, []string{"RC-004", "SH-001", "LT-007"}}},
			"partial: nothing failed, and 3 of 4 core requirements were not selected",
		},
		"one could not be mapped": {
			v1alpha1.Partial,
			[]v1alpha1.Result{result("RC-001", "Passed", ""), result("RC-004", "Passed", ""), result("SH-001", "Passed", ""), result("LT-007", "Skipped", unmapped)},
			nil,
			[]Gap{{unmapped, []string{"LT-007"}}},
			"partial: nothing failed, and 1 of 4 core requirements could not be judged",
		},
		"both": {
			v1alpha1.Partial,
			[]v1alpha1.Result{result("RC-001", "Passed", ""), result("RC-004", "NotExercised", "none of its Faults fired"), result("LT-007", "Skipped", unmapped)},
			nil,
			[]Gap{{"none of its Faults fired", []string{"RC-004"}}, {notSelected, []string{"SH-001"}}, {unmapped, []string{"LT-007"}}},
			"partial: nothing failed, and of 4 core requirements 1 were not selected and 2 could not be judged",
		},
		"one failed": {
			v1alpha1.NotConformant,
			[]v1alpha1.Result{result("RC-001", "Failed", "x"), result("RC-004", "Blocked", ""), result("SH-001", "Inconclusive", ""), result("LT-007", "Passed", "")},
			nil,
			[]Gap{{"blocked by what failed", []string{"RC-004"}}, {"inconclusive", []string{"SH-001"}}},
			"not conformant: 1 requirement failed",
		},
		"interrupted": {
			v1alpha1.Inconclusive,
			[]v1alpha1.Result{result("RC-001", "Passed", ""), result("RC-004", "Passed", ""), result("SH-001", "Passed", ""), result("LT-007", "Skipped", "not judged: x")},
			&v1alpha1.CutShort{Reason: "the run was interrupted", NotJudged: []string{"LT-007"}},
			[]Gap{{"as the run was interrupted", []string{"LT-007"}}},
			"not judged: the run was interrupted, and 1 requirement was not reached; nothing had failed until then",
		},
		"interrupted, and one failed": {
			v1alpha1.NotConformant,
			[]v1alpha1.Result{result("RC-001", "Failed", "x"), result("RC-004", "Passed", ""), result("SH-001", "Passed", ""), result("LT-007", "Skipped", "not judged: x")},
			&v1alpha1.CutShort{Reason: "the run was interrupted", NotJudged: []string{"LT-007"}},
			[]Gap{{"as the run was interrupted", []string{"LT-007"}}},
			"not conformant: 1 requirement failed; not judged, as the run was interrupted: 1",
		},
		"interrupted, and inconclusive": {
			v1alpha1.Inconclusive,
			[]v1alpha1.Result{result("RC-001", "Inconclusive", ""), result("RC-004", "Passed", ""), result("SH-001", "Passed", ""), result("LT-007", "Skipped", "not judged: x")},
			&v1alpha1.CutShort{Reason: "the run was interrupted", NotJudged: []string{"LT-007"}},
			[]Gap{{"inconclusive", []string{"RC-001"}}, {"as the run was interrupted", []string{"LT-007"}}},
			"not judged: 1 requirement was inconclusive, and nothing failed; not judged, as the run was interrupted: 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.ConformanceReport{Verdict: tc.verdict, Results: tc.results, CutShort: tc.cut, Core: v1alpha1.Coverage{Total: 4, Judged: 4}}
			for _, gap := range tc.gaps {
				r.Core.Judged -= len(gap.IDs)
			}
			for _, result := range tc.results {
				switch result.Verdict {
				case v1alpha1.Failed:
					r.Summary.Failed++
				case v1alpha1.ResultInconclusive:
					r.Summary.Inconclusive++
				}
			}
			gaps := Gaps(r, all)
			if diff := cmp.Diff(tc.gaps, gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if got := Verdict(r, gaps); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestGapsOfOtherScenarios: a run of the user's own scenarios does not list scenarios
// of the suite as not judged.
func TestGapsOfOtherScenarios(t *testing.T) {
	embedded := []catalogue.Requirement{{ID: "RC-001", Level: catalogue.Core}, {ID: "RC-004", Level: catalogue.Core}, {ID: "SH-001", Level: catalogue.Core}}
	passed := v1alpha1.Result{ID: "MY-001", Level: catalogue.Core, Verdict: v1alpha1.Passed}
	for name, tc := range map[string]struct {
		core    v1alpha1.Coverage
		results []v1alpha1.Result
		gaps    []Gap
		want    string
	}{
		"one was skipped": {
			v1alpha1.Coverage{Total: 2, Judged: 1},
			[]v1alpha1.Result{passed, {ID: "MY-002", Level: catalogue.Core, Verdict: v1alpha1.Skipped, Reason: "needs two replicas"}},
			[]Gap{{"needs two replicas", []string{"MY-002"}}},
			"partial: nothing failed, and 1 of 2 core requirements could not be judged",
		},
		"one was not selected": {
			v1alpha1.Coverage{Total: 2, Judged: 1},
			[]v1alpha1.Result{passed},
			nil,
			"partial: nothing failed, and 1 of 2 core requirements were not selected",
		},
		"the only one is extended": {
			v1alpha1.Coverage{},
			[]v1alpha1.Result{{ID: "MY-001", Level: catalogue.Extended, Verdict: v1alpha1.Passed}},
			nil,
			"partial: nothing failed, and none of the scenarios proves a core requirement",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.ConformanceReport{Verdict: v1alpha1.Partial, Results: tc.results, Core: tc.core}
			gaps := Gaps(r, embedded)
			if diff := cmp.Diff(tc.gaps, gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if got := Verdict(r, gaps); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestPaintVerdict: only what is conformant is green.
func TestPaintVerdict(t *testing.T) {
	p := Painter{on: true}
	for v, colour := range map[v1alpha1.Verdict]string{
		v1alpha1.Conformant: green, v1alpha1.Partial: yellow, v1alpha1.NotConformant: red, v1alpha1.Inconclusive: yellow,
	} {
		if got := p.PaintVerdict(v, "x"); got != colour+"x"+plain {
			t.Errorf("%s: %q", v, got)
		}
	}
}

// TestPartialSummary: a partial verdict does not look like a good one, and names what is
// missing.
func TestPartialSummary(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, r := range catalogue.Of(all, catalogue.WebApps) {
		if r.Level == catalogue.Core {
			total++
		}
	}
	text := Summary(&v1alpha1.ConformanceReport{
		Verdict: v1alpha1.Partial, Implementation: v1alpha1.Implementation{Name: "mine"}, Core: v1alpha1.Coverage{Judged: 1, Total: total},
		JudgeRest: "reconform run --profile=mine.yaml",
		Results: []v1alpha1.Result{
			{ID: "RC-001", Verdict: v1alpha1.Passed, Level: "core"},
			{ID: "LT-007", Verdict: v1alpha1.Skipped, Level: "core", Reason: "cannot be mapped: it changes port of demo"},
		},
	})
	for _, want := range []string{"## 🟡 mine is partial: nothing failed, and ", "- core requirements that were not judged (not selected): RC-004, RC-005,", "- core requirements that were not judged (cannot be mapped: it changes port of demo): LT-007\n", "Judge all:\n\n```\nreconform run --profile=mine.yaml\n```\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}
