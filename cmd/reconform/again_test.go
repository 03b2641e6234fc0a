package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

func TestFailedBefore(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	some := []v1alpha1.Result{
		{ID: "SH-001", Verdict: v1alpha1.Failed},
		{ID: "SH-002", Verdict: v1alpha1.Passed},
		{ID: "RC-001", Verdict: v1alpha1.ResultInconclusive},
		{ID: "RC-001", Verdict: v1alpha1.Blocked, Repeat: 2},
	}
	for name, tc := range map[string]struct {
		profile   string
		results   []v1alpha1.Result
		want, err string
	}{
		"some":            {"reference", some, "RC-001 SH-001", ""},
		"none":            {"reference", some[1:2], "", "nothing failed in the run"},
		"not selected":    {"reference", []v1alpha1.Result{{ID: "XX-001", Verdict: v1alpha1.Failed}}, "", "what failed, XX-001, is not in the selection"},
		"another profile": {"mine", some, "", "is about profile mine, not reference"},
		"no report":       {"", nil, "", "conformance-report.yaml:1: not YAML: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			before := &v1alpha1.ConformanceReport{Profile: tc.profile, Results: tc.results}
			before.APIVersion, before.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
			verdict.Conclude(all, before)
			if err := report.Write(dir, before); err != nil {
				t.Fatal(err)
			}
			if tc.results == nil {
				if err := os.WriteFile(filepath.Join(dir, report.YAMLFile), []byte("verdict: ["), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			requirements, err := failedBefore(append([]catalogue.Requirement(nil), all...), dir, p)
			var ids []string
			for _, r := range requirements {
				ids = append(ids, r.ID)
			}
			if got := strings.Join(ids, " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got error %v, want %q", err, tc.err)
			}
		})
	}
}

func TestAgain(t *testing.T) {
	cmd := newRunCommand()
	if err := cmd.ParseFlags([]string{"--profile", "my own.yaml", "--run", "SH", "--rerun-failed", "--keep", "--timeout-scale", "2"}); err != nil {
		t.Fatal(err)
	}
	want := `run --keep=true --profile='my own.yaml' --timeout-scale=2 --run '^(SH-001|SH-002)$'`
	if got := again(cmd, []string{"SH-001", "SH-002"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
