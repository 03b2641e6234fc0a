package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestKnownFailures: a known failure is not a failure in the files for CI, but each of
// them shows that there is one.
func TestKnownFailures(t *testing.T) {
	report := sample()
	report.Known = []v1alpha1.KnownResult{
		{KnownFailure: v1alpha1.KnownFailure{ID: "SH-004", Reason: "from <v2> on", Owner: "team-web", Expires: "2027-01-31"}, State: v1alpha1.KnownFails},
		{KnownFailure: v1alpha1.KnownFailure{ID: "RC-001", Reason: "slow", Owner: "team-web", Expires: "2027-01-31"}, State: v1alpha1.KnownMended},
	}
	data, err := junitOf(report)
	if err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(data, &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Failures != 0 || suites.Errors != 1 || suites.Skipped != 2 {
		t.Errorf("%d failures, %d errors, %d skipped; want 0, 1, 2", suites.Failures, suites.Errors, suites.Skipped)
	}
	if want := "known to fail until 2027-01-31 (team-web): from &lt;v2&gt; on"; !strings.Contains(string(data), want) {
		t.Errorf("the JUnit report lacks %q:\n%s", want, data)
	}
	summary := Summary(report)
	for _, want := range []string{
		"SH-004 fails, as known until 2027-01-31 (team-web: from &lt;v2&gt; on)", "RC-001 is fixed: remove it from the known failures",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
}
