package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestCompareReports(t *testing.T) {
	of := func(rows ...v1alpha1.Result) *v1alpha1.ConformanceReport {
		return &v1alpha1.ConformanceReport{Results: rows}
	}
	row := func(id string, v v1alpha1.ResultVerdict, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Verdict: v, Reason: reason}
	}
	old := of(
		row("RC-001", v1alpha1.Passed, ""), row("SH-001", v1alpha1.Failed, "no"), row("SH-004", v1alpha1.Passed, ""),
		row("ST-001", v1alpha1.Skipped, "not claimed"), row("SS-001", v1alpha1.Failed, "writes"), row("VA-001", v1alpha1.Passed, ""),
		row("RT-001", v1alpha1.Flaky, "at times"),
		row("EV-001", v1alpha1.Skipped, "not claimed"), row("LT-001", v1alpha1.Blocked, "by SH-001"), row("OB-001", v1alpha1.Passed, ""),
	)
	current := of(
		row("RC-001", v1alpha1.Passed, ""), row("SH-001", v1alpha1.Passed, ""), row("SH-004", v1alpha1.Passed, ""),
		row("SH-004", v1alpha1.Failed, "the image\n  stays"), row("ST-001", v1alpha1.Passed, ""), row("SS-001", v1alpha1.Failed, "other writes"),
		row("ST-002", v1alpha1.Failed, `at "Then it follows" (assert apps/v1/Deployment @ ns/demo): spec.replicas: Invalid value: 7: Expected value: 2`), row("RT-001", v1alpha1.Failed, "always"),
		row("EV-001", v1alpha1.Failed, "no event"), row("LT-001", v1alpha1.Flaky, "at times"), row("OB-001", v1alpha1.Flaky, "at times"),
	)
	var got []string
	for _, change := range Compare(old, current) {
		got = append(got, change.String())
	}
	want := []string{
		"worse OB-001: was Passed, is Flaky: at times",
		"worse SH-004: was Passed, is Failed: the image stays",
		"new EV-001: was Skipped, is Failed: no event",
		"new LT-001: was Blocked, is Flaky: at times",
		"new ST-002: was not there, is Failed: Then it follows: expected spec.replicas = 2; found 7, in Deployment demo",
		"mended SH-001: was Failed, is Passed",
		"other RT-001: was Flaky, is Failed: always",
		"other ST-001: was Skipped, is Passed",
		"other VA-001: was Passed, is not there",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if same := Compare(old, old); same != nil {
		t.Errorf("a report and itself: %v", same)
	}
}

// TestCompareNotReached: what a run did not reach was not skipped.
func TestCompareNotReached(t *testing.T) {
	old := &v1alpha1.ConformanceReport{
		Results:  []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Skipped}, {ID: "SH-002", Verdict: v1alpha1.Skipped}},
		CutShort: &v1alpha1.CutShort{NotJudged: []string{"SH-001"}},
	}
	now := &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Passed}, {ID: "SH-002", Verdict: v1alpha1.Passed}}}
	for _, tc := range []struct {
		old, now *v1alpha1.ConformanceReport
		want     []string
	}{
		{old, now, []string{"other SH-001: was not reached, is Passed", "other SH-002: was Skipped, is Passed"}},
		{now, old, []string{"other SH-001: was Passed, is not reached", "other SH-002: was Passed, is Skipped"}},
	} {
		var got []string
		for _, change := range Compare(tc.old, tc.now) {
			got = append(got, change.String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
	}
}

// TestComparisonLines: what is worse or mended has a line of its own, and other changes of
// which the same is said share one.
func TestComparisonLines(t *testing.T) {
	c := &Comparison{Circumstances: []string{"version: was v1, is v2"}, Changes: []Change{
		{ID: "SH-004", Kind: Worse, Old: v1alpha1.Passed, New: v1alpha1.Failed, Reason: "the image stays"},
		{ID: "SH-005", Kind: Worse, Old: v1alpha1.Passed, New: v1alpha1.Failed, Reason: "the image stays"},
		{ID: "CD-001", Kind: Other, New: v1alpha1.Passed},
		{ID: "CD-002", Kind: Other, New: v1alpha1.Skipped, Reason: "not claimed"},
		{ID: "CD-003", Kind: Other, New: v1alpha1.Passed},
		{ID: "CD-004", Kind: Other, New: v1alpha1.Skipped, Reason: "cannot be mapped"},
	}}
	want := []string{
		"version: was v1, is v2",
		"worse SH-004: was Passed, is Failed: the image stays",
		"worse SH-005: was Passed, is Failed: the image stays",
		"other, 2 requirements: was not there, is Passed: CD-001, CD-003",
		"other CD-002: was not there, is Skipped: not claimed",
		"other CD-004: was not there, is Skipped: cannot be mapped",
	}
	if diff := cmp.Diff(want, c.Lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestCircumstances: what can be the reason for another verdict is said. What only one of two
// reports tells, because an older version wrote the other one, is not.
func TestCircumstances(t *testing.T) {
	report := func(change func(*v1alpha1.ConformanceReport)) *v1alpha1.ConformanceReport {
		r := &v1alpha1.ConformanceReport{
			Profile: "mine", ProfileDigest: "sha256:1", Isolation: []string{"the network"},
			Claims: v1alpha1.Claims{
				Features: []v1alpha1.Feature{v1alpha1.Feature("service"), v1alpha1.Feature("status")}, Unowned: "refuse", ClientQPS: 5,
				Exempt: []v1alpha1.Exemption{{Resources: []string{"secrets"}, Why: "certificates", Expires: "2027-01-31"}},
			},
		}
		change(r)
		return r
	}
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ConformanceReport)
		want   []string
	}{
		"nothing":           {func(*v1alpha1.ConformanceReport) {}, nil},
		"time limits":       {func(r *v1alpha1.ConformanceReport) { r.TimeoutScale = 2 }, []string{"--timeout-scale: was 1, is 2"}},
		"same time limits":  {func(r *v1alpha1.ConformanceReport) { r.TimeoutScale = 1 }, nil},
		"contract":          {func(r *v1alpha1.ConformanceReport) { r.Contract = "backup" }, []string{"contract: was webapp, is backup"}},
		"shard":             {func(r *v1alpha1.ConformanceReport) { r.Shard = &v1alpha1.Shard{Index: 1, Count: 2} }, []string{"shard: was none, is 1/2"}},
		"isolation":         {func(r *v1alpha1.ConformanceReport) { r.Isolation = nil }, []string{"not isolated: was the network, is none"}},
		"no digest":         {func(r *v1alpha1.ConformanceReport) { r.ProfileDigest = "" }, nil},
		"another file":      {func(r *v1alpha1.ConformanceReport) { r.ProfileDigest = "sha256:2" }, []string{"the profile was changed, and its claims are the same"}},
		"cut short":         {func(r *v1alpha1.ConformanceReport) { r.CutShort = &v1alpha1.CutShort{Reason: "it was interrupted"} }, []string{"cut short: was no, is yes (it was interrupted; every requirement that was selected has a verdict all the same, without a second look)"}},
		"number of a claim": {func(r *v1alpha1.ConformanceReport) { r.Claims.ClientQPS = 0 }, []string{"claims.clientQPS: was 5, is none"}},
		"claims": {func(r *v1alpha1.ConformanceReport) {
			r.ProfileDigest = "sha256:2"
			r.Claims.Features = []v1alpha1.Feature{"status", "events"}
			r.Claims.Unowned = "adopt"
			r.Claims.Exempt = nil
		}, []string{
			"the profile was changed",
			`claims.exempt: no longer {"expires":"2027-01-31","resources":["secrets"],"why":"certificates"}`,
			"claims.features: now also events; no longer service",
			"claims.unowned: was refuse, is adopt",
		}},
		"expired": {func(r *v1alpha1.ConformanceReport) {
			r.Claims.Exempt, r.Expired = nil, r.Claims.Exempt
		}, []string{"the exemption of secrets expired on 2027-01-31 (certificates): these requests are judged"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Differences(report(func(*v1alpha1.ConformanceReport) {}), report(tc.change)).Circumstances
			if diff := cmp.Diff(append([]string{}, tc.want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
