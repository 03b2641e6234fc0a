package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
)

func known() *verdicts {
	return &verdicts{Rows: []row{
		{ID: "RC-001", Verdict: v1alpha1.Passed},
		{ID: "SC-001", Verdict: v1alpha1.Passed},
		{ID: "SH-004", Verdict: v1alpha1.Failed, Because: "it compares the replicas alone"},
		{ID: "SS-014", Verdict: v1alpha1.Failed, Because: "each attempt wakes the next", Varies: true},
	}}
}

func TestCompare(t *testing.T) {
	result := func(id string, v v1alpha1.ResultVerdict, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Verdict: v, Reason: reason}
	}
	created := result("RC-001", v1alpha1.Passed, "")
	healed := result("SH-004", v1alpha1.Failed, "in other words than before")
	scaled := result("SC-001", v1alpha1.Passed, "")
	for name, tc := range map[string]struct {
		results []v1alpha1.Result
		want    []string
	}{
		"as they were":           {[]v1alpha1.Result{created, scaled, healed}, nil},
		"without what is slow":   {[]v1alpha1.Result{created, healed}, nil},
		"a row is not there":     {[]v1alpha1.Result{created}, []string{"SH-004 was Failed (it compares the replicas alone), and was not run"}},
		"a row is new":           {[]v1alpha1.Result{created, healed, result("ST-001", v1alpha1.Failed, "no")}, []string{"ST-001 is new: Failed: no"}},
		"a slower machine":       {[]v1alpha1.Result{created, healed, result("SS-014", v1alpha1.Passed, "")}, nil},
		"at a second look":       {[]v1alpha1.Result{created, healed, result("SS-014", v1alpha1.Flaky, "123 requests; at a second look it passed")}, nil},
		"it fails as it may":     {[]v1alpha1.Result{created, healed, result("SS-014", v1alpha1.Failed, "123 requests")}, nil},
		"what varies is skipped": {[]v1alpha1.Result{created, healed, result("SS-014", v1alpha1.Skipped, "")}, []string{"SS-014 was Failed (each attempt wakes the next), is Skipped"}},
		"a failure is gone":      {[]v1alpha1.Result{created, result("SH-004", v1alpha1.Passed, "")}, []string{"SH-004 was Failed (it compares the replicas alone), is Passed"}},
		"a verdict is different": {[]v1alpha1.Result{result("RC-001", v1alpha1.ResultInconclusive, "etcd"), healed}, []string{"RC-001 was Passed, is Inconclusive: etcd"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, known().compare(tc.results, map[string]bool{"SC-001": true, "SS-014": true})); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpdate takes over the results of a run, writes the file and reads it back.
func TestUpdate(t *testing.T) {
	v := known()
	v.update([]v1alpha1.Result{
		{ID: "SH-004", Verdict: v1alpha1.Failed},
		{ID: "RC-001", Verdict: v1alpha1.Skipped},
		{ID: "RC-002", Verdict: v1alpha1.Passed},
		{ID: "SS-014", Verdict: v1alpha1.Passed},
	})
	want := []row{
		{ID: "RC-001", Verdict: v1alpha1.Skipped},
		{ID: "RC-002", Verdict: v1alpha1.Passed},
		{ID: "SC-001", Verdict: v1alpha1.Passed},
		{ID: "SH-004", Verdict: v1alpha1.Failed, Because: "it compares the replicas alone"},
		{ID: "SS-014", Verdict: v1alpha1.Failed, Because: "each attempt wakes the next", Varies: true},
	}
	if diff := cmp.Diff(want, v.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
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
		about  = "controller: {name: c, version: v1}\nrows:\n"
		found  = "implementation: {name: c, version: v1}\nresults:\n"
		passed = "- {id: RC-001, verdict: Passed}\n"
	)
	for name, tc := range map[string]struct {
		verdicts, report string
		status           int
		want             string
	}{
		"the same": {"# why\n" + about + passed, found + passed, statusSame, "1 of 1 rows were judged, 0 are not as"},
		"changed":  {about + passed, found + "- {id: RC-001, verdict: Failed, reason: none}\n", statusChanged, "RC-001 was Passed, is Failed: none"},
		"blocked, as before": {
			about + "- {id: RC-001, verdict: Blocked, blockedBy: SH-003}\n", found + "- {id: RC-001, verdict: Blocked, blockedBy: SH-003}\n",
			statusSame, "1 of 1 rows were judged, 0 are not as",
		},
		"blocked by another": {
			about + "- {id: RC-001, verdict: Blocked, blockedBy: SH-003}\n", found + "- {id: RC-001, verdict: Blocked, blockedBy: SH-001}\n",
			statusChanged, "RC-001 was Blocked by SH-003, is Blocked",
		},
		"blocked by nothing": {about + "- {id: RC-001, verdict: Blocked}\n", found + passed, statusUsage, "RC-001 is blocked: say by which"},
		"judged and not":     {about + "- {id: RC-001, verdict: Passed}\nunjudged: [RC-001]\n", found + passed, statusUsage, "take it out there"},
		"not judged yet":     {about + "unjudged: [RC-001]\n", found + passed, statusChanged, "RC-001 is new: Passed"},
		"varies":             {about + "- {id: RC-001, verdict: Passed, varies: true}\n", found + passed, statusUsage, "only a failure can"},
		"never flaky":        {about + "- {id: RC-001, verdict: Flaky}\n", found + passed, statusUsage, "mend the scenario, or say that it failed"},
		"another version":    {about + passed, strings.Replace(found, "v1", "v2", 1) + passed, statusChanged, "is about c v1, the report about c v2"},
		"not understood":     {about + "- {id: RC-001, verdict: Failed}\n", found + passed, statusUsage, "RC-001 failed: say because of what"},
		"never inconclusive": {about + "- {id: RC-001, verdict: Inconclusive}\n", found + passed, statusUsage, "mend the scenario or the profile"},
		"no report":          {about + passed, "", statusUsage, "reading the report"},
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

// TestVerdictsAreOfAllRequirements checks that every requirement has a verdict, or is
// named as not judged yet, also one that is added or renamed.
func TestVerdictsAreOfAllRequirements(t *testing.T) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, requirement := range catalogue.Of(requirements, catalogue.WebApps) {
		want = append(want, requirement.ID)
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
		got := map[string]bool{}
		for _, r := range v.Rows {
			got[r.ID] = true
		}
		for _, id := range v.Unjudged {
			got[id] = true
		}
		for _, id := range want {
			if !got[id] {
				t.Errorf("%s has no row %s", file, id)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d rows, want %d", file, len(got), len(want))
		}
	}
}
