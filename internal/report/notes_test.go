package report

import (
	"strings"
	"testing"

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
