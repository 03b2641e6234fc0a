package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// explored is the report of an exploration that has everything.
func explored() *v1alpha1.ExploreReport {
	first := v1alpha1.ExploredCase{
		Plan: "edit-image: at update services demo: it is answered with 500 once", Operation: "edit-image", Steps: []string{"create Web demo", "patch webs demo"},
		Came: 2, Tries: 3, Divergences: []v1alpha1.Divergence{{Kind: v1alpha1.DivergenceField, Object: "services demo", Path: "spec.type", Expected: `"A"`, Found: "| <b>B</b>"}},
		Requests: []string{"#7 update services/demo", "```"}, Namespace: "explore-9", Repaired: true,
	}
	return &v1alpha1.ExploreReport{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.KindExploreReport},
		Verdict:  v1alpha1.Diverges, Cut: "the budget of 5m0s was spent", Implementation: v1alpha1.Implementation{Name: "mine"}, Profile: "mine.yaml",
		ProfileDigest: "sha256:00", Date: metav1.NewTime(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)), Version: "v1", Seed: 3, Sorts: []string{"edit"},
		Took: metav1.Duration{Duration: 5 * time.Minute}, Recording: metav1.Duration{Duration: time.Minute},
		Plans:      v1alpha1.ExplorePlans{Planned: 9, All: 9, Done: 8, Diverging: 2, Unreached: 1, SecondsPerPlan: "0.50"},
		Operations: []v1alpha1.ExploredOperation{{Name: "edit-image", Writes: []string{"update services demo"}, Watches: []string{"services"}, Plans: 9}, {Name: "restart"}, {Name: "failover"}},
		Left:       []string{"drift: x"}, Masks: map[string][]v1alpha1.TrialMask{"create": {{Object: "services demo", Path: "spec.x"}}},
		Causes: []v1alpha1.ExploredCause{{
			ID: "EX-0123abcd", About: "After an edit of image, spec.type stays wrong.", Divergence: first.Divergences[0],
			Cases: []v1alpha1.ExploredCase{first, first}, Scenario: "explore-scenarios/level-triggered/1-x", Reproduce: "reconform run LT-901",
			Minimised: &v1alpha1.Minimised{From: first.Plan, LeftOut: []string{"restart the controller"}, Trials: 4},
		}},
		Unconfirmed: []v1alpha1.ExploredCase{first}, Unreached: []v1alpha1.UnreachedPlan{{Plan: "p", Reason: "r"}},
		Known: []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "EX-ffffffff", Reason: "r", Owner: "o", Expires: "2026-01-31"}, State: v1alpha1.KnownExpired}},
	}
}

// What is written fits the published schema, has the verdict near the top, and is read as
// it was.
func TestExploredIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadExplored(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a report: %v", err)
	}
	r := explored()
	if err := WriteExplored(dir, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, ExploredFile))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(data), "apiVersion: reconform.dev/v1alpha1\nkind: ExploreReport\nverdict: Diverges\n") {
		t.Errorf("it begins with %.120s", data)
	}
	document := map[string]any{}
	if err := yaml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	for _, problem := range validation.ValidateCustomResource(nil, document, schemaOf(t, "explore-report")) {
		t.Errorf("it does not fit: %v", problem)
	}
	got, err := ReadExplored(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(explored(), got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestNoExploreReport(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"another kind":  {"apiVersion: reconform.dev/v1alpha1\nkind: Profile\n", "it must be reconform.dev/v1alpha1 ExploreReport"},
		"unknown field": {"apiVersion: reconform.dev/v1alpha1\nkind: ExploreReport\nmore: 1\n", `unknown field "more"`},
		"no cases":      {"apiVersion: reconform.dev/v1alpha1\nkind: ExploreReport\ncauses: [{id: EX-0}]\n", "causes[0] has no cases"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ExploredFile), []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadExplored(dir); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// The summary has what a person needs, and texts of a controller are not read as
// Markdown.
func TestExploredSummary(t *testing.T) {
	got := exploredSummary(explored())
	for _, want := range []string{
		"## ❌ mine: Diverges: 1 cause of 2 divergences in 8 of 9 plans, in 5m0s (0.50 s for a plan)", "smaller plans was not finished: the budget", "left out: drift: x",
		"### 1. EX-0123abcd", "After an edit of image", "came in 2 of 3 tries", `expected "A", found \| &lt;b&gt;B`, "not needed: restart the controller (4 trials",
		"````\n#7 update services/demo", "reconform run LT-901", "the same in 1 other plan<", "EX-ffffffff fails, and should have been fixed by 2026-01-31",
		"| edit-image | 9 | 1 |", "1 plan never got to the point", "1 unconfirmed divergence",
		"the controller writes nothing after restart, failover: there no write could be disturbed",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// If one file cannot be written, the others are written all the same, and the existing
// one stays as it is.
func TestExploredOnAFullDisk(t *testing.T) {
	dir, step := t.TempDir(), filepath.Join(t.TempDir(), "step")
	t.Setenv(stepSummary, step)
	if err := os.MkdirAll(filepath.Join(dir, ExploredFile, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := WriteExplored(dir, explored())
	if err == nil || !strings.Contains(err.Error(), "writing "+ExploredFile) {
		t.Errorf("%v", err)
	}
	for _, path := range []string{filepath.Join(dir, SummaryFile), step} {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "EX-0123abcd") {
			t.Errorf("%s: %v", path, err)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(names) > 0 {
		t.Errorf("left: %v, %v", names, err)
	}
}

// What an exploration has left is cleared as a whole, and a history is only set aside when
// it goes on.
func TestClearExplored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my reports [1]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		write(HistoryFile)
		if err := SetHistoryAside(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := SetHistoryAside(dir); err != nil { // there is none
		t.Fatal(err)
	}
	for _, name := range []string{HistoryFile, ExploredFile, ExploredPageFile, SummaryFile, "mine.txt"} {
		write(name)
	}
	names := func() []string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, entry := range entries {
			all = append(all, entry.Name())
		}
		return all
	}
	if got := names(); !slices.Contains(got, "history-1.jsonl") || !slices.Contains(got, "history-2.jsonl") {
		t.Errorf("the histories are not kept: %v", got)
	}
	if err := ClearExplored(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mine.txt"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnansweredInWords(t *testing.T) {
	longest := metav1.Duration{Duration: 12200 * time.Millisecond}
	for name, tc := range map[string]struct {
		given v1alpha1.ExploredUnanswered
		want  string
	}{
		"it gave up": {
			v1alpha1.ExploredUnanswered{Plans: 3, GaveUp: 3},
			"in 3 plans a write got no answer, for up to 12.2s: the controller gave up waiting each time",
		},
		"it waited": {
			v1alpha1.ExploredUnanswered{Plans: 1},
			"in 1 plan a write got no answer, for up to 12.2s: the controller waited until the connection was cut",
		},
		"both, and silent": {
			v1alpha1.ExploredUnanswered{Plans: 3, GaveUp: 1, Silent: 2},
			"in 3 plans a write got no answer, for up to 12.2s: in 1 the controller gave up waiting, in 2 it waited until the connection was cut; " +
				"in 2 it sent nothing else meanwhile. That is not a divergence, but a time limit for its requests would end the wait",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.given.Longest = longest
			if got := unansweredInWords(&tc.given); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestRemaining: who gave a budget reads how long the rest would take.
func TestRemaining(t *testing.T) {
	for name, tc := range map[string]struct {
		plans v1alpha1.ExplorePlans
		want  string
	}{
		"many":               {v1alpha1.ExplorePlans{Planned: 495, Done: 15, Unreached: 1, SecondsPerPlan: "1.84"}, "; 479 more plans would take about 15 minutes, and --resume goes on with them"},
		"one":                {v1alpha1.ExplorePlans{Planned: 9, Done: 7, Failed: 1, SecondsPerPlan: "0.50"}, "; 1 more plan would take about 1 minute, and --resume goes on with them"},
		"none":               {v1alpha1.ExplorePlans{Planned: 9, Done: 8, Unreached: 1, SecondsPerPlan: "0.50"}, ""},
		"none carried out":   {v1alpha1.ExplorePlans{Planned: 9}, ""},
		"no plans were made": {v1alpha1.ExplorePlans{SecondsPerPlan: "0.50"}, ""},
	} {
		if got := remaining(tc.plans); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// What was interrupted before there was a plan says nothing of plans.
func TestExploredWordsWithoutPlans(t *testing.T) {
	r := &v1alpha1.ExploreReport{Verdict: v1alpha1.ExploredInconclusive, Reason: "not everything was recorded"}
	for planned, want := range map[int]string{
		0: "Inconclusive: not everything was recorded, in 0s",
		1: "Inconclusive: not everything was recorded in 0 of 1 plan, in 0s",
		2: "Inconclusive: not everything was recorded in 0 of 2 plans, in 0s",
	} {
		if r.Plans.Planned = planned; ExploredWords(r) != want {
			t.Errorf("%d plans: %q, want %q", planned, ExploredWords(r), want)
		}
	}
}

// TestConvergesSoFar: an exploration that was cut short is not told as one that was carried out.
func TestConvergesSoFar(t *testing.T) {
	r := &v1alpha1.ExploreReport{Verdict: v1alpha1.Converges, Plans: v1alpha1.ExplorePlans{Planned: 302, Done: 18}}
	for cut, want := range map[string][2]string{
		"":                           {"Converges: no divergence in 18 of 302 plans", "✅"},
		"the budget of 2m was spent": {"Converges so far: no divergence in 18 of 302 plans", "🟡"},
	} {
		r.Cut = cut
		if got := ExploredWords(r); !strings.HasPrefix(got, want[0]) || symbolOfExplored(r) != want[1] {
			t.Errorf("cut by %q: %s %s, want %s %s", cut, symbolOfExplored(r), got, want[1], want[0])
		}
	}
}

// TestCutInWords: after the last plan, only the search for smaller plans can be cut short.
func TestCutInWords(t *testing.T) {
	const (
		plans  = "not everything was explored: it was interrupted; 1 more plan would take about 1 minute, and --resume goes on with them"
		search = "all plans were carried out, and the search for smaller plans was not finished: it was interrupted; --resume goes on with it"
	)
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ExploreReport)
		want   string
	}{
		"a plan is left":  {func(r *v1alpha1.ExploreReport) { r.Plans.Planned = 10 }, plans},
		"none is left":    {func(*v1alpha1.ExploreReport) {}, search},
		"one failed":      {func(r *v1alpha1.ExploreReport) { r.Plans.Planned, r.Plans.Failed = 10, 1 }, search},
		"nothing planned": {func(r *v1alpha1.ExploreReport) { r.Plans = v1alpha1.ExplorePlans{} }, "not everything was explored: it was interrupted"},
		"merged":          {func(r *v1alpha1.ExploreReport) { r.Parts = []v1alpha1.ExplorePart{{}} }, "not everything was explored: it was interrupted"},
	} {
		r := explored()
		r.Cut = "it was interrupted"
		tc.change(r)
		if got := ExploredNotes(r)[0]; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
