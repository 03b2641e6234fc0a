package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestWaiting: what waits for one line of the profile is said once, and nothing else is
// counted.
func TestWaiting(t *testing.T) {
	const guessed = "nobody knows when it tries again what failed, as claims.times.retry is guessed; the scenario failed at x"
	result := func(id string, v v1alpha1.ResultVerdict, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Verdict: v, Reason: reason}
	}
	const advice = ": write in the profile when the controller tries again, without guessed: true. " +
		"If it never does, that is a mistake: run again after you have mended it"
	for name, tc := range map[string]struct {
		results []v1alpha1.Result
		want    string
	}{
		"none": {[]v1alpha1.Result{
			result("RT-001", "Inconclusive", "the machine was busy"), result("RT-002", "Failed", guessed), result("RT-004", "Passed", ""),
		}, ""},
		"one": {
			[]v1alpha1.Result{result("RT-001", "Inconclusive", guessed), result("RT-002", "Inconclusive", "the machine was busy")},
			"1 requirement is inconclusive as claims.times.retry is guessed (RT-001)" + advice,
		},
		"several, one of them twice": {
			[]v1alpha1.Result{result("RT-001", "Inconclusive", guessed), result("RT-004", "Inconclusive", guessed), result("RT-001", "Inconclusive", guessed)},
			"2 requirements are inconclusive as claims.times.retry is guessed (RT-001, RT-004)" + advice,
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.ConformanceReport{Results: tc.results}
			if got := Waiting(run); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			for form, text := range map[string]string{"summary.md": Summary(run), "junit.xml": strings.Join(notes(run), "\n")} {
				if tells := strings.Contains(text, advice); tells != (tc.want != "") {
					t.Errorf("%s tells of the schedule: %t", form, tells)
				}
			}
		})
	}
}

// TestUnused: only a run of all requirements says that no request matched an exemption.
func TestUnused(t *testing.T) {
	whole := v1alpha1.Coverage{Judged: 4, Total: 4}
	for name, tc := range map[string]struct {
		report v1alpha1.ConformanceReport
		want   int
	}{
		"all":           {v1alpha1.ConformanceReport{}, 1},
		"the quick":     {v1alpha1.ConformanceReport{Core: whole, Selection: v1alpha1.Selection{Selector: "speed=quick"}}, 1},
		"some":          {v1alpha1.ConformanceReport{Core: v1alpha1.Coverage{Judged: 1, Total: 4}, Selection: v1alpha1.Selection{Run: "RC-001"}}, 0},
		"a shard":       {v1alpha1.ConformanceReport{Shard: &v1alpha1.Shard{}}, 0},
		"cut short":     {v1alpha1.ConformanceReport{CutShort: &v1alpha1.CutShort{}}, 0},
		"never started": {v1alpha1.ConformanceReport{NotStarted: &v1alpha1.NotStarted{}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tc.report.Unused = []v1alpha1.Exemption{{Verbs: []string{"get", "list"}, Resources: []string{"pod"}, Why: "a census"}}
			want := []string{"no request of this run matched the exemption of get, list of pod (a census): correct it, or delete it"}
			if diff := cmp.Diff(want[:tc.want], append([]string{}, Unused(&tc.report)...)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
