package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/render"
)

// findings of a round on a busy machine. Of each three scenarios, one passed, one
// failed and may be looked at again, and one was proved to fail.
func findings(t *testing.T, excusable int, proved bool) []finding {
	t.Helper()
	plan := planOf(t, profile.Default)
	i := &Implementation{Plan: plan}
	var all []finding
	for n := range 3 * excusable {
		planned := plan.Scenarios[n%len(plan.Scenarios)]
		s := scenario{implementation: i, requirement: planned.Requirement, test: planned.Test, namespace: i.namespace(planned.Requirement, 1, 1)}
		f := finding{scenario: s, result: newResult(planned.Requirement)}
		switch n % 3 {
		case 0:
			f.result.Verdict = v1alpha1.Passed
		case 1:
			f.result.Verdict, f.result.Reason, f.Again = v1alpha1.Failed, "too late", true
			f.Excusable = !proved
		case 2:
			f.result.Verdict, f.result.Reason = v1alpha1.Failed, "HotLoop"
		}
		all = append(all, f)
	}
	return all
}

func TestLookAgain(t *testing.T) {
	type told struct {
		Verdict           v1alpha1.ResultVerdict
		Reason, FirstLook string
	}
	before := []told{{v1alpha1.Passed, "", ""}, {v1alpha1.Failed, "too late", ""}, {v1alpha1.Failed, "HotLoop", ""}}
	for name, tc := range map[string]struct {
		excusable int
		proved    bool
		found     v1alpha1.ResultVerdict // at the second look
		want      []told                 // of the first three
	}{
		"it passes": {1, false, v1alpha1.Passed, []told{before[0], {v1alpha1.Passed, "", "failed: too late"}, before[2]}},
		"it was proved, and passes": {
			1, true, v1alpha1.Passed, []told{before[0], {v1alpha1.Flaky, "too late; at a second look it passed", ""}, before[2]},
		},
		"it was proved, and comes to no conclusion": {1, true, v1alpha1.ResultInconclusive, before},
		"it fails again":  {1, false, v1alpha1.Failed, []told{before[0], {v1alpha1.Failed, "once more", "failed: too late"}, before[2]}},
		"too many failed": {maxAgain + 1, false, v1alpha1.Passed, before},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first := findings(t, tc.excusable, tc.proved)
			r := &run{options: &Options{TimeoutScale: 1, Console: report.NewConsole(io.Discard)}}
			err := r.lookAgain(t.Context(), dir, first, 12, func(_ context.Context, _ string, scenarios []scenario, parallel int) ([]finding, error) {
				if len(scenarios) != 1 || parallel != 2 {
					t.Fatalf("a look at %d scenarios, %d side by side, want 1 and 2", len(scenarios), parallel)
				}
				s := scenarios[0]
				document, err := os.ReadFile(filepath.Join(s.folder, render.FileName))
				if err != nil {
					t.Fatal(err)
				}
				if want := first[1].scenario.namespace + "-again"; s.namespace != want || !strings.Contains(string(document), s.namespace) {
					t.Errorf("in namespace %s runs:\n%s", s.namespace, document)
				}
				f := finding{scenario: s, result: newResult(s.requirement)}
				if f.result.Verdict = tc.found; tc.found != v1alpha1.Passed {
					f.result.Reason = "once more"
				}
				return []finding{f}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []told
			for _, f := range first[:3] {
				got = append(got, told{f.result.Verdict, f.result.Reason, f.result.FirstLook})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

// A few scenarios that lag are run again, and the second result counts. If more lag,
// the reason is the children that the controller makes.
func TestLookAgainAtWhatLags(t *testing.T) {
	for _, lagging := range []int{1, maxLagging, maxLagging + 1} {
		first := findings(t, lagging, true)
		for n := range first {
			if first[n].Again {
				first[n].Again, first[n].Lagging = false, true
			}
		}
		r := &run{options: &Options{TimeoutScale: 1, Console: report.NewConsole(io.Discard)}}
		err := r.lookAgain(t.Context(), t.TempDir(), first, 12, func(_ context.Context, _ string, scenarios []scenario, _ int) (found []finding, err error) {
			for _, s := range scenarios {
				f := finding{scenario: s, result: newResult(s.requirement)}
				f.result.Verdict = v1alpha1.Passed
				found = append(found, f)
			}
			return found, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := v1alpha1.Passed
		if lagging > maxLagging {
			want = v1alpha1.Failed
		}
		if got := first[1].result.Verdict; got != want {
			t.Errorf("%d lag: %s, want %s", lagging, got, want)
		}
	}
}

func TestLookAgainIsInterrupted(t *testing.T) {
	r := &run{options: &Options{TimeoutScale: 1, Console: report.NewConsole(io.Discard)}}
	err := r.lookAgain(t.Context(), t.TempDir(), findings(t, 1, false), 1, func(context.Context, string, []scenario, int) ([]finding, error) {
		return nil, context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("lookAgain = %v, want that it was interrupted", err)
	}
}

// A scenario whose Fault did not fire gets a second look only if the controller sends, in
// another scenario, what the Fault waits for. Otherwise it would only wait again.
func TestNoSecondLookAtWhatIsNeverSent(t *testing.T) {
	for name, tc := range map[string]struct {
		sent  string // by another scenario
		again bool
	}{
		"never":     {"list", false},
		"elsewhere": {"delete", true},
	} {
		t.Run(name, func(t *testing.T) {
			first := findings(t, 1, false)
			first[1].Unmet = []v1alpha1.RequestMatch{{Verbs: []string{"delete"}, Resources: []string{"deployments.apps"}}}
			r := &run{options: &Options{TimeoutScale: 1, Console: report.NewConsole(io.Discard)}, recorder: history.New(nil, nil)}
			r.recorder.Begin(history.Request{Scenario: first[0].scenario.namespace, Verb: tc.sent, Group: "apps", Resource: "deployments", Name: "demo"})
			again := false
			err := r.lookAgain(t.Context(), t.TempDir(), first, 12, func(_ context.Context, _ string, scenarios []scenario, _ int) ([]finding, error) {
				again = true
				return []finding{{scenario: scenarios[0], result: newResult(scenarios[0].requirement)}}, nil
			})
			if err != nil || again != tc.again {
				t.Errorf("a second look: %t, %v; want %t", again, err, tc.again)
			}
		})
	}
}

// TestClearReports: a report that a run completes is not lost if that run is killed. All else of
// the earlier run goes.
func TestClearReports(t *testing.T) {
	for name, tc := range map[string]struct {
		complete func(*v1alpha1.ConformanceReport) *v1alpha1.ConformanceReport
		want     []string
	}{
		"a new report":           {nil, []string{"mine.txt"}},
		"what failed is renewed": {func(r *v1alpha1.ConformanceReport) *v1alpha1.ConformanceReport { return r }, []string{report.YAMLFile, "mine.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{report.YAMLFile, report.SummaryFile, report.HistoryFile, "mine.txt"} {
				if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := clearReports(&Options{ReportDir: dir, Complete: tc.complete}); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, entry := range entries {
				left = append(left, entry.Name())
			}
			if diff := cmp.Diff(tc.want, left); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
		})
	}
}
