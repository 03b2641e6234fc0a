package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

// TestFormats: stdout is one document or a few lines that a script can read. The exit
// status is the same in each format, and annotations do not mix with stdout.
func TestFormats(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	failing := shardReport(t, v1alpha1.Shard{Index: 1, Count: 1}, v1alpha1.Failed)
	passing := shardReport(t, v1alpha1.Shard{Index: 1, Count: 1}, v1alpha1.Passed)
	for name, tc := range map[string]struct {
		args    []string
		actions string
		status  int
		stderr  string
	}{
		"merge":            {[]string{"merge", "-o", "json", failing}, "", 1, ""},
		"merge, quietly":   {[]string{"merge", "-q", "--output=json", failing}, "", 1, ""},
		"merge, on GitHub": {[]string{"merge", "-o", "json", failing}, "true", 1, "::error title=SH-001 failed%3A::; it relies on what was not judged here: RC-001, RC-009\n"},
		"report":           {[]string{"report", "-o", "json", "--from", failing}, "true", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GITHUB_ACTIONS", tc.actions)
			args := tc.args
			if args[0] == "merge" {
				args = append(args, "--report-dir", filepath.Join(t.TempDir(), "merged"))
			}
			status, stdout, stderr := run(t, args...)
			if status != tc.status || stderr != tc.stderr {
				t.Errorf("status %d, want %d, and %q on stderr, want %q", status, tc.status, stderr, tc.stderr)
			}
			var r v1alpha1.ConformanceReport
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Kind != v1alpha1.KindConformanceReport || len(r.Results) != 1 || r.Results[0].Verdict != v1alpha1.Failed {
				t.Errorf("%v: %s", err, stdout)
			}
		})
	}
	t.Setenv("GITHUB_ACTIONS", "")
	status, stdout, stderr := run(t, "merge", "-q", failing, "--report-dir", filepath.Join(t.TempDir(), "merged"))
	if status != 1 || stderr != "" || !strings.HasPrefix(stdout, "failed: SH-001\n") || strings.Contains(stdout, "control plane") {
		t.Errorf("quietly: status %d, want 1, and the failure and the verdict:\n%s%s", status, stdout, stderr)
	}
	status, stdout, stderr = run(t, "report", "-o", "json", "--compare", passing, failing)
	var found report.Comparison
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || status != 1 || stderr != "" || found.Worse != 1 || len(found.Changes) != 1 || found.Changes[0].New != v1alpha1.Failed {
		t.Errorf("compare: status %d, want 1; %v: %s%s", status, err, stdout, stderr)
	}
}

// If the reports could not be written, the verdict is printed all the same, and no file is
// named.
func TestTellWithoutReports(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	r := &v1alpha1.ConformanceReport{Verdict: v1alpha1.NotConformant, Implementation: v1alpha1.Implementation{Name: "mine"}}
	if err := (&outputFlags{format: formatText}).tell(cmd, r, "", ""); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "mine is not conformant") || strings.Contains(text, report.PageFile) {
		t.Errorf("want the verdict, and no page:\n%s", text)
	}
}
