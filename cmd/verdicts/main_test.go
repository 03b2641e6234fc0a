package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// requirements of a small catalogue.
func requirements() []catalogue.Requirement {
	return []catalogue.Requirement{{ID: "RC-001"}, {ID: "SC-001", Slow: true}, {ID: "SH-004"}, {ID: "SS-014"}, {ID: "ST-001"}}
}

func known() *verdicts {
	return &verdicts{Passed: counts{Quick: 1, Slow: 1}, Rows: []row{
		{ID: "SH-004", Verdict: v1alpha1.Failed, Because: "it compares the replicas alone"},
		{ID: "SS-014", Verdict: v1alpha1.Failed, Because: "each attempt wakes the next", Varies: true},
		{ID: "ST-001", Verdict: v1alpha1.Blocked, BlockedBy: "SH-004"},
	}}
}

// results of the run in which everything is as it is known, each with a change.
func results(changes ...v1alpha1.Result) []v1alpha1.Result {
	all := []v1alpha1.Result{
		{ID: "RC-001", Verdict: v1alpha1.Passed},
		{ID: "SC-001", Verdict: v1alpha1.Passed},
		{ID: "SH-004", Verdict: v1alpha1.Failed, Reason: "in other words than before"},
		{ID: "SS-014", Verdict: v1alpha1.Failed},
		{ID: "ST-001", Verdict: v1alpha1.Blocked, BlockedBy: "SH-004"},
	}
	for _, change := range changes {
		for i := range all {
			if all[i].ID == change.ID {
				all[i] = change
			}
		}
	}
	return all
}

func TestCompare(t *testing.T) {
	const fewer = "rows are skipped, or gone, that passed before"
	for name, tc := range map[string]struct {
		change      v1alpha1.Result
		withoutSlow bool
		want        []string
	}{
		"as they were":           {},
		"a failure is gone":      {v1alpha1.Result{ID: "SH-004", Verdict: v1alpha1.Passed}, false, []string{"SH-004 was Failed (it compares the replicas alone), is Passed"}},
		"a failure is new":       {v1alpha1.Result{ID: "RC-001", Verdict: v1alpha1.Failed, Reason: "no"}, true, []string{"RC-001 was Passed or Skipped, is Failed: no", "0 quick rows and 1 slow ones passed, and there were 1 and 1: " + fewer}},
		"a slow failure is new":  {v1alpha1.Result{ID: "SC-001", Verdict: v1alpha1.ResultInconclusive, Reason: "etcd"}, false, []string{"SC-001 was Passed or Skipped, is Inconclusive: etcd", "1 quick rows and 0 slow ones passed, and there were 1 and 1: " + fewer}},
		"skipped now":            {v1alpha1.Result{ID: "RC-001", Verdict: v1alpha1.Skipped}, false, []string{"0 quick rows and 1 slow ones passed, and there were 1 and 1: " + fewer}},
		"a slower machine":       {change: v1alpha1.Result{ID: "SS-014", Verdict: v1alpha1.Passed}},
		"at a second look":       {change: v1alpha1.Result{ID: "SS-014", Verdict: v1alpha1.Flaky, Reason: "at a second look it passed"}},
		"what varies is skipped": {v1alpha1.Result{ID: "SS-014", Verdict: v1alpha1.Skipped}, false, []string{"SS-014 was Failed (each attempt wakes the next), is Skipped"}},
		"blocked by another":     {v1alpha1.Result{ID: "ST-001", Verdict: v1alpha1.Blocked, BlockedBy: "SH-001"}, false, []string{"ST-001 was Blocked by SH-004, is Blocked"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, known().compare(results(tc.change), requirements(), tc.withoutSlow)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("not all were run", func(t *testing.T) {
		quick := results()
		quick = append(quick[:1], quick[2:]...)
		if diff := cmp.Diff([]string(nil), known().compare(quick, requirements(), true)); diff != "" {
			t.Errorf("without the slow one (-want +got):\n%s", diff)
		}
		want := []string{"SC-001 was Passed or Skipped, and was not run", "1 quick rows and 0 slow ones passed, and there were 1 and 1: " + fewer}
		if diff := cmp.Diff(want, known().compare(quick, requirements(), false)); diff != "" {
			t.Errorf("with it (-want +got):\n%s", diff)
		}
		want = []string{"SH-004 was Failed (it compares the replicas alone), and was not run"}
		if diff := cmp.Diff(want, known().compare(append(quick[:1:1], quick[2:]...), requirements(), true)); diff != "" {
			t.Errorf("without a failure (-want +got):\n%s", diff)
		}
	})
	t.Run("a requirement is new, and passes", func(t *testing.T) {
		more := append(requirements(), catalogue.Requirement{ID: "ST-002"})
		if diff := cmp.Diff([]string(nil), known().compare(append(results(), v1alpha1.Result{ID: "ST-002", Verdict: v1alpha1.Passed}), more, false)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestUpdate takes over the results of a run, writes the file and reads it back.
func TestUpdate(t *testing.T) {
	v := known()
	v.update(results(v1alpha1.Result{ID: "ST-001", Verdict: v1alpha1.Passed}, v1alpha1.Result{ID: "SS-014", Verdict: v1alpha1.Passed}), requirements())
	v.update([]v1alpha1.Result{{ID: "RC-001", Verdict: v1alpha1.Blocked, BlockedBy: "SH-004"}}, requirements())
	want := &verdicts{Passed: counts{Quick: 2, Slow: 1}, Rows: []row{
		{ID: "RC-001", Verdict: v1alpha1.Blocked, BlockedBy: "SH-004"},
		{ID: "SH-004", Verdict: v1alpha1.Failed, Because: "it compares the replicas alone"},
		{ID: "SS-014", Verdict: v1alpha1.Failed, Because: "each attempt wakes the next", Varies: true},
	}}
	if diff := cmp.Diff(want, v, cmp.AllowUnexported(verdicts{})); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
	file := filepath.Join(t.TempDir(), "verdicts.yaml")
	v.Controller, v.head = controller{"c", "v1"}, []byte("# why\n")
	if err := v.write(file); err != nil {
		t.Fatal(err)
	}
	again, err := readVerdicts(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, again, cmp.AllowUnexported(verdicts{})); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

func TestExecute(t *testing.T) {
	const (
		about   = "controller: {name: c, version: v1}\npassed: {quick: 1, slow: 0}\nrows:\n"
		blocked = "- {id: RC-002, verdict: Blocked, blockedBy: SH-003}\n"
	)
	// A report about all requirements, of which these two are not Skipped.
	report := func(version, first, second string) string {
		all, err := catalogue.Embedded()
		if err != nil {
			t.Fatal(err)
		}
		text := "implementation: {name: c, version: " + version + "}\nresults:\n- {id: RC-001, " + first + "}\n- {id: RC-002, " + second + "}\n"
		for _, requirement := range catalogue.Of(all, catalogue.WebApps) {
			if id := requirement.ID; id != "RC-001" && id != "RC-002" {
				text += "- {id: " + id + ", verdict: Skipped}\n"
			}
		}
		return text
	}
	const passed, byOne = "verdict: Passed", "verdict: Blocked, blockedBy: SH-003"
	for name, tc := range map[string]struct {
		verdicts, report string
		status           int
		want             string
	}{
		"the same":             {"# why\n" + about + blocked, report("v1", passed, byOne), statusSame, " rows were judged, 0 differences from"},
		"changed":              {about + blocked, report("v1", "verdict: Failed, reason: none", byOne), statusChanged, "RC-001 was Passed or Skipped, is Failed: none"},
		"blocked by another":   {about + blocked, report("v1", passed, "verdict: Blocked, blockedBy: SH-001"), statusChanged, "RC-002 was Blocked by SH-003, is Blocked"},
		"another version":      {about + blocked, report("v2", passed, byOne), statusChanged, "is about c v1, the report about c v2"},
		"blocked by nothing":   {about + "- {id: RC-001, verdict: Blocked}\n", report("v1", passed, byOne), statusUsage, "RC-001 is blocked: say by which"},
		"no exception":         {about + "- {id: RC-001, verdict: Passed}\n", report("v1", passed, byOne), statusUsage, "RC-001 is Passed: rows are only what failed or was blocked"},
		"varies":               {about + "- {id: RC-001, verdict: Blocked, blockedBy: SH-003, varies: true}\n", report("v1", passed, byOne), statusUsage, "only a failure can"},
		"never flaky":          {about + "- {id: RC-001, verdict: Flaky}\n", report("v1", passed, byOne), statusUsage, "mend the scenario, or say that it failed"},
		"not understood":       {about + "- {id: RC-001, verdict: Failed}\n", report("v1", passed, byOne), statusUsage, "RC-001 failed: say what in the controller is the cause"},
		"never inconclusive":   {about + "- {id: RC-001, verdict: Inconclusive}\n", report("v1", passed, byOne), statusUsage, "mend the scenario or the profile"},
		"no report":            {about + blocked, "", statusUsage, "reading the report"},
		"a field of yesterday": {about + "unjudged: [RC-001]\n", report("v1", passed, byOne), statusUsage, "unjudged"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			verdicts, report := filepath.Join(dir, "verdicts.yaml"), filepath.Join(dir, "report.yaml")
			if err := os.WriteFile(verdicts, []byte(tc.verdicts), 0o600); err != nil {
				t.Fatal(err)
			}
			if tc.report != "" {
				if err := os.WriteFile(report, []byte(tc.report), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			if got := execute([]string{verdicts, report}, &out, &out); got != tc.status || !strings.Contains(out.String(), tc.want) {
				t.Errorf("status %d, want %d and %q:\n%s", got, tc.status, tc.want, out.String())
			}
		})
	}
}

func TestVerdictsAreOfRequirements(t *testing.T) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	today := map[string]bool{}
	for _, requirement := range catalogue.Of(requirements, catalogue.WebApps) {
		today[requirement.ID] = true
	}
	files, err := filepath.Glob("../../fixtures/verdicts/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("verdicts: %v, %v", files, err)
	}
	for _, file := range files {
		v, err := readVerdicts(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if v.Passed.Quick == 0 || v.Passed.Slow == 0 {
			t.Errorf("%s counts %+v rows that passed", file, v.Passed)
		}
		for _, r := range v.Rows {
			if !today[r.ID] || r.BlockedBy != "" && !today[r.BlockedBy] {
				t.Errorf("%s: %s, or what blocks it, is not a requirement", file, r.ID)
			}
		}
	}
}
