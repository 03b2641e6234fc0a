package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/profile"
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
	for name, tc := range map[string]struct{ report, want, err string }{
		"some":            {"profile: reference\nresults: [{id: SH-001, verdict: Failed}, {id: SH-002, verdict: Passed}, {id: RC-001, verdict: Inconclusive}, {id: RC-001, verdict: Blocked}]", "RC-001 SH-001", ""},
		"none":            {"profile: reference\nresults: [{id: SH-002, verdict: Passed}]", "", "nothing failed in the run"},
		"not selected":    {"profile: reference\nresults: [{id: XX-001, verdict: Failed}]", "", "what failed, XX-001, is not in the selection"},
		"another profile": {"profile: mine", "", "is about profile mine, not reference"},
		"no report":       {"verdict: [", "", "reading "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "conformance-report.yaml"), []byte(tc.report), 0o600); err != nil {
				t.Fatal(err)
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
