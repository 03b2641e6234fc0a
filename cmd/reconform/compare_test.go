package main

import (
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict"
)

// TestCompareStatus: only what is worse has an exit status of its own.
func TestCompareStatus(t *testing.T) {
	write := func(v v1alpha1.ResultVerdict, reason string) string {
		dir := t.TempDir()
		r := &v1alpha1.ConformanceReport{Verdict: v1alpha1.Partial, Results: []v1alpha1.Result{{ID: "SH-004", Verdict: v, Reason: reason}}}
		r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
		r.Summary = verdict.Summarize(r.Results)
		if err := report.Write(dir, r); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	good, bad := write(v1alpha1.Passed, ""), write(v1alpha1.Failed, "the image stays")
	for name, tc := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"the same":  {[]string{"--compare", good, good}, statusOK, "0 worse, 0 mended, 0 different otherwise"},
		"worse":     {[]string{"--compare", good, bad}, 1, "worse SH-004: was Passed, is Failed: the image stays"},
		"mended":    {[]string{"--compare", bad, good}, statusOK, "mended SH-004: was Failed, is Passed"},
		"one":       {[]string{"--compare", good}, statusUsage, "name two folders"},
		"both ways": {[]string{"--compare", "--from", good, good, bad}, statusUsage, "either --from or --compare"},
		"no flag":   {[]string{good}, statusUsage, "unexpected argument"},
		"no report": {[]string{"--compare", good, t.TempDir()}, statusUsage, "no report of an earlier run"},
	} {
		status, stdout, stderr := run(t, append([]string{"report"}, tc.args...)...)
		if status != tc.status || !strings.Contains(stdout+stderr, tc.want) {
			t.Errorf("%s: status %d, want %d, and %q:\n%s%s", name, status, tc.status, tc.want, stdout, stderr)
		}
	}
}
