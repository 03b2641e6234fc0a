package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestAnnotations: each failure that is not known has an annotation at the line of its
// scenario. Failures that block others come first.
func TestAnnotations(t *testing.T) {
	at := func(line string) *v1alpha1.Evidence {
		return &v1alpha1.Evidence{Scenario: "scenarios/a/b,c/chainsaw-test.yaml:" + line, Hint: "look: there"}
	}
	got := Annotations(&v1alpha1.ConformanceReport{
		Results: []v1alpha1.Result{
			{ID: "RC-001", Verdict: v1alpha1.Passed},
			{ID: "SH-001", Verdict: v1alpha1.Flaky, Must: "It heals, 100%.", Reason: "first\nsecond", Repeat: 2, Evidence: at("7")},
			{ID: "SH-002", Verdict: v1alpha1.Failed, Evidence: at("8")},
			{ID: "SH-003", Verdict: v1alpha1.Failed, Must: "m", Reason: "r"},
			{ID: "SH-004", Verdict: v1alpha1.Blocked, BlockedBy: "SH-003"},
			{ID: "SH-005", Verdict: v1alpha1.ResultInconclusive},
		},
		Known: []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "SH-002"}, State: v1alpha1.KnownFails}},
	})
	want := []string{
		"::error title=SH-003 failed%3A m::r",
		"::error file=scenarios/a/b%2Cc/chainsaw-test.yaml,line=7,title=SH-001 flaky%3A It heals%2C 100%25.::round 2: first%0Asecond%0Alook: there",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

// TestHostileAnnotations: whatever a text contains, an annotation is one command on one
// line.
func TestHostileAnnotations(t *testing.T) {
	e := evil + "\n::warning file=x::y\r\n"
	lines := Annotations(&v1alpha1.ConformanceReport{Results: []v1alpha1.Result{{
		ID: e, Verdict: v1alpha1.Failed, Must: e, Reason: e, Evidence: &v1alpha1.Evidence{Hint: e, Scenario: e + ":7,title=z::"},
	}}})
	if len(lines) != 1 {
		t.Fatalf("%d annotations", len(lines))
	}
	rest, found := strings.CutPrefix(lines[0], "::error ")
	if !found || obeyed.MatchString(rest) || strings.ContainsAny(rest, "\r\n") || len(rest) > 20<<10 {
		t.Errorf("%d bytes: %.400q", len(rest), lines[0])
	}
	properties, _, _ := strings.Cut(rest, "::")
	if got := strings.Count(properties, ","); got != 2 {
		t.Errorf("%d commas in %.400q, want those between three properties", got, properties)
	}
}
