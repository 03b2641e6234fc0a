package main

import (
	"bytes"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict"
)

func TestTable(t *testing.T) {
	write := func(name string, v v1alpha1.Verdict, results ...v1alpha1.Result) string {
		dir := t.TempDir()
		r := &v1alpha1.ConformanceReport{Profile: name, Verdict: v, Results: results, Summary: verdict.Summarize(results)}
		r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
		r.Claims.Features = []v1alpha1.Feature{"status", "service"}
		if err := report.Write(dir, r); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	passed := v1alpha1.Result{ID: "RC-001", Verdict: v1alpha1.Passed}
	skipped := v1alpha1.Result{ID: "RC-002", Verdict: v1alpha1.Skipped, Reason: "not claimed"}
	failed := v1alpha1.Result{ID: "SH-004", Verdict: v1alpha1.Failed, Reason: "the image stays"}
	sound := write("sound", v1alpha1.Partial, passed, skipped)
	broken := write("broken", v1alpha1.NotConformant, passed, failed)
	for name, tc := range map[string]struct {
		dirs   []string
		status int
		want   []string
	}{
		"sound":     {[]string{sound}, 0, []string{"sound   2       1       1       0       0             1 of 2"}},
		"both":      {[]string{sound, broken}, 1, []string{"broken  2       2       1       1       0             2 of 2", "broken: Failed SH-004: the image stays"}},
		"none":      {nil, 2, []string{"name the folders"}},
		"no report": {[]string{t.TempDir()}, 2, []string{"no report of an earlier run"}},
	} {
		var out bytes.Buffer
		if status := execute(tc.dirs, &out, &out); status != tc.status {
			t.Errorf("%s: status %d, want %d", name, status, tc.status)
		}
		for _, want := range tc.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: it lacks %q:\n%s", name, want, out.String())
			}
		}
	}
}
