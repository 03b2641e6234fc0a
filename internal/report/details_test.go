package report

import (
	"fmt"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestSummaryIsBounded: the summary fits GitHub's limit, even if everything failed at
// length. Every failure is in it, in brief. The end is left out only if even that is
// too much.
func TestSummaryIsBounded(t *testing.T) {
	report := func(failures int) *v1alpha1.ConformanceReport {
		long := strings.Repeat("a very long text, ", 450)
		if failures > 1000 {
			long = long[:1000] // it is the number of failures that makes the summary too long
		}
		r := sample()
		for n := range failures {
			r.Results = append(r.Results, v1alpha1.Result{
				ID: fmt.Sprintf("XX-%04d", n), Verdict: v1alpha1.Failed, Must: long, Reason: long,
				Evidence: &v1alpha1.Evidence{Difference: long, Requests: []string{long, long}, Catches: long, Hint: long},
			})
		}
		return r
	}
	for failures, want := range map[int]struct {
		last       bool
		difference bool
		more       bool
	}{
		3:    {last: true, difference: true},
		120:  {last: true},
		1200: {more: true},
	} {
		text := Summary(report(failures))
		if len(text) > mostSummary {
			t.Errorf("%d failures: %d bytes", failures, len(text))
		}
		if !strings.Contains(text, "is not conformant: ") {
			t.Errorf("%d failures: the verdict is missing", failures)
		}
		for what, is := range map[string]struct{ got, want bool }{
			"the last failure":   {strings.Contains(text, fmt.Sprintf("XX-%04d", failures-1)), want.last},
			"a difference":       {strings.Contains(text, "expected and observed"), want.difference},
			"that there is more": {strings.HasSuffix(text, "There is more in conformance-report.yaml and in report.html.\n"), want.more},
		} {
			if is.got != is.want {
				t.Errorf("%d failures: %s: %v, want %v", failures, what, is.got, is.want)
			}
		}
	}
}
