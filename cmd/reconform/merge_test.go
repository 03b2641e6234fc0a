package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// shardReport writes the report of a run of one requirement, and returns its folder.
func shardReport(t *testing.T, shard v1alpha1.Shard, result v1alpha1.ResultVerdict) string {
	t.Helper()
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	r := &v1alpha1.ConformanceReport{
		Profile: "reference", Selection: v1alpha1.Selection{Run: "^SH-001$"}, Shard: &shard,
		Versions: v1alpha1.Versions{Reconform: version}, Results: []v1alpha1.Result{{ID: "SH-001", Verdict: result}},
	}
	r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
	verdict.Conclude(all, r)
	dir := t.TempDir()
	if err := report.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMergeStatus: merge has the same exit status and the same reports as a run.
func TestMergeStatus(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	t.Setenv("GITHUB_ACTIONS", "")
	only, first := v1alpha1.Shard{Index: 1, Count: 1}, v1alpha1.Shard{Index: 1, Count: 2}
	for name, tc := range map[string]struct {
		dirs   []string
		status int
		says   string
	}{
		"passed": {[]string{shardReport(t, only, v1alpha1.Passed)}, statusOK, "is partial: nothing failed"},
		"failed": {[]string{shardReport(t, only, v1alpha1.Failed)}, 1, "failed: SH-001"},
		"flaky": {
			[]string{shardReport(t, only, v1alpha1.Failed), shardReport(t, only, v1alpha1.Passed)}, 1, "flaky: SH-001",
		},
		"a shard is missing": {[]string{shardReport(t, first, v1alpha1.Passed)}, statusInconclusive, "there is no report of shard 2/2; every requirement that was selected has a verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, step := filepath.Join(t.TempDir(), "merged"), filepath.Join(t.TempDir(), "step.md")
			t.Setenv("GITHUB_STEP_SUMMARY", step)
			status, stdout, stderr := run(t, append([]string{"merge", "--report-dir", dir}, tc.dirs...)...)
			if status != tc.status || !strings.Contains(stdout, tc.says) || stderr != "" {
				t.Errorf("status %d, want %d, and %q:\n%s%s", status, tc.status, tc.says, stdout, stderr)
			}
			for _, name := range []string{report.YAMLFile, report.JUnitFile, report.SummaryFile, report.BadgeFile, report.ShieldFile, report.PageFile, report.HistoryFile, ".reconform"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			if _, err := report.Read(dir); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(read(t, filepath.Join(dir, report.SummaryFile)), read(t, step)); diff != "" {
				t.Errorf("the summary for GitHub (-summary.md +step):\n%s", diff)
			}
		})
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMergeSpares: merge overwrites no report that it reads, and no files of others.
func TestMergeSpares(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	part := shardReport(t, v1alpha1.Shard{Index: 1, Count: 1}, v1alpha1.Passed)
	others := t.TempDir()
	if err := os.WriteFile(filepath.Join(others, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		part:   "error: --report-dir " + part + " is one of the folders to merge\n",
		others: "error: --report-dir: " + others + " is not empty, and no marker says that it is Reconform's",
		"":     "error: --report-dir is empty; give a value, or leave the flag out",
	} {
		status, _, stderr := run(t, "merge", "--report-dir", dir, part)
		if status != statusUsage || !strings.HasPrefix(stderr, want) {
			t.Errorf("status %d, want %d, and %q:\n%s", status, statusUsage, want, stderr)
		}
	}
	if _, err := report.Read(part); err != nil {
		t.Error(err)
	}
}

// TestMergeIsTold: if a report cannot be written, as on a full disk, the verdict is printed
// all the same, no file is named, and the other reports are written.
func TestMergeIsTold(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	part := shardReport(t, v1alpha1.Shard{Index: 1, Count: 1}, v1alpha1.Failed)
	t.Setenv("GITHUB_STEP_SUMMARY", t.TempDir()) // a folder cannot be appended to
	dir := filepath.Join(t.TempDir(), "merged")
	status, stdout, stderr := run(t, "merge", "--report-dir", dir, part)
	if status != statusInconclusive || !strings.Contains(stdout, "failed: SH-001") || strings.Contains(stdout, report.PageFile) {
		t.Errorf("status %d, want %d, the verdict, and no page:\n%s", status, statusInconclusive, stdout)
	}
	if !strings.HasPrefix(stderr, "error: ") {
		t.Errorf("want the reason on stderr, got %q", stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, report.PageFile)); err != nil {
		t.Errorf("the page is not there: %v", err)
	}
}
