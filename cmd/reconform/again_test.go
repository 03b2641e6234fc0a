package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
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
		"some": {"reference", some, "RC-001 SH-001", ""},
		// It would stay, and the verdict would no longer count it, if its home passed this time.
		"an invariant that is judged elsewhere": {"reference", append(some, v1alpha1.Result{ID: "SH-004", Verdict: v1alpha1.Passed, Beside: []string{"HotLoop"}}), "RC-001 SH-001 SH-004", ""},
		"none":                                  {"reference", some[1:2], "", "nothing failed in the run"},
		"not selected":                          {"reference", []v1alpha1.Result{{ID: "XX-001", Verdict: v1alpha1.Failed}}, "", "what failed, XX-001, is not in the selection"},
		"another profile":                       {"mine", some, "", "is about profile mine, not reference"},
		"no report":                             {"", nil, "", "conformance-report.yaml:1: not YAML: "},
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
			requirements, _, err := failedBefore(append([]catalogue.Requirement(nil), all...), dir, p)
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
	results := []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Failed}, {ID: "SH-002", Verdict: v1alpha1.Blocked}, {ID: "SH-003", Verdict: v1alpha1.Passed}}
	const flags = "run --keep=true --profile='my own.yaml' --timeout-scale=2"
	for name, tc := range map[string]struct {
		report v1alpha1.ConformanceReport
		want   string
	}{
		"all was judged":    {v1alpha1.ConformanceReport{Results: results}, flags + " --rerun-failed"},
		"some was not":      {v1alpha1.ConformanceReport{Results: results, CutShort: &v1alpha1.CutShort{NotJudged: []string{"SH-004"}}}, flags + " --run '^(SH-001|SH-002)$'"},
		"all passed":        {v1alpha1.ConformanceReport{Results: results[2:]}, ""},
		"cut, and all done": {v1alpha1.ConformanceReport{Results: results, CutShort: &v1alpha1.CutShort{}}, flags + " --rerun-failed"},
	} {
		cmd := newRunCommand()
		if err := cmd.ParseFlags([]string{"--profile", "my own.yaml", "--run", "SH", "--rerun-failed", "--keep", "--timeout-scale", "2"}); err != nil {
			t.Fatal(err)
		}
		if got := again(cmd, &tc.report); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tc.want)
		}
	}
}

// TestSetAside: a run does not write over the report of one that judged more.
func TestSetAside(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	three := []v1alpha1.Result{
		{ID: "SH-001", Verdict: v1alpha1.Failed},
		{ID: "SH-002", Verdict: v1alpha1.Passed},
		{ID: "SH-002", Verdict: v1alpha1.Passed, Repeat: 2},
		{ID: "SH-003", Verdict: v1alpha1.Skipped},
		{ID: "SH-004", Verdict: v1alpha1.Blocked},
	}
	for name, tc := range map[string]struct {
		results []v1alpha1.Result
		planned int
		why     string
		want    string
	}{
		"less":               {three, 1, "", "the report of the earlier run is now in reports/earlier: it judged 2 requirements, and this one 1"},
		"as many":            {three, 2, "", ""},
		"another profile":    {three, 2, "the profile has changed since", "the report of the earlier run is now in reports/earlier: the profile has changed since"},
		"nothing was judged": {three[3:], 1, "", ""},
		"no report":          {nil, 1, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tc.results != nil {
				before := &v1alpha1.ConformanceReport{Profile: "mine", Results: tc.results}
				before.APIVersion, before.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
				verdict.Conclude(all, before)
				if err := report.Write(dir, before); err != nil {
					t.Fatal(err)
				}
			}
			said := ""
			say := func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
			told, err := setAside(dir, "reports", tc.planned, tc.why, say)
			if err != nil {
				t.Fatal(err)
			}
			if said != tc.want || told != (tc.want != "") {
				t.Errorf("said %q, and that it was moved: %t; want %q", said, told, tc.want)
			}
			_, err = report.Read(filepath.Join(dir, report.EarlierDir))
			if moved := err == nil; moved != (tc.want != "") {
				t.Errorf("it was moved: %t", moved)
			}
			if told := before(dir); (told != "") != (tc.want != "") {
				t.Errorf("later it is said: %q", told)
			}
			if !told {
				return
			}
			if err := putBack(dir, "reports", say); err != nil {
				t.Fatal(err)
			}
			if back, err := report.Read(dir); err != nil || len(back.Results) != len(tc.results) || before(dir) != "" {
				t.Errorf("after the bench failed: %v; later it is said: %q", err, before(dir))
			}
		})
	}
}

// TestRepeatedTakesLists: the command line that a report prints can be run.
func TestRepeatedTakesLists(t *testing.T) {
	cmd := newExploreCommand()
	given := []string{"--operations=edit", "--operations=create", "--profile=mine.yaml"}
	if err := cmd.ParseFlags([]string{"--profile=mine.yaml", "--operations", "edit,create"}); err != nil {
		t.Fatal(err)
	}
	want := "explore " + strings.Join(given, " ")
	if got := repeated(cmd); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	cmd = newExploreCommand()
	if err := cmd.ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	if got := repeated(cmd); got != want {
		t.Errorf("given again it is %s, want %s", got, want)
	}
}

// TestRenewal: a result that was judged again replaces the earlier one, and all others
// stay.
func TestRenewal(t *testing.T) {
	all := []catalogue.Requirement{
		{ID: "RC-001", Level: catalogue.Core}, {ID: "SH-001", Level: catalogue.Core}, {ID: "SH-003", Level: catalogue.Core}, {ID: "ST-001", Level: catalogue.Core},
	}
	result := func(id string, v v1alpha1.ResultVerdict) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Level: catalogue.Core, Verdict: v}
	}
	day := func(n int) metav1.Time { return metav1.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	for name, tc := range map[string]struct {
		earlier, now []v1alpha1.Result
		cut          *v1alpha1.CutShort // of the earlier run
		nowCut       *v1alpha1.CutShort
		want         string
		verdict      v1alpha1.Verdict
		left         int
	}{
		"mended": {
			earlier: []v1alpha1.Result{result("RC-001", "Passed"), result("SH-001", "Failed"), result("SH-003", "Passed"), result("ST-001", "Passed")},
			now:     []v1alpha1.Result{result("SH-001", "Passed")},
			want:    "RC-001 Passed, SH-001 Passed, SH-003 Passed, ST-001 Passed", verdict: v1alpha1.Conformant,
		},
		"not mended": {
			earlier: []v1alpha1.Result{result("RC-001", "Passed"), result("SH-001", "Failed"), result("SH-003", "Blocked"), result("ST-001", "Passed")},
			now:     []v1alpha1.Result{result("SH-001", "Passed"), result("SH-003", "Failed")},
			want:    "RC-001 Passed, SH-001 Passed, SH-003 Failed, ST-001 Passed", verdict: v1alpha1.NotConformant,
		},
		"what was not reached": {
			earlier: []v1alpha1.Result{result("RC-001", "Passed"), result("SH-001", "Passed"), result("SH-003", "Skipped"), result("ST-001", "Skipped")},
			cut:     &v1alpha1.CutShort{Reason: "interrupted", NotJudged: []string{"SH-003", "ST-001"}},
			now:     []v1alpha1.Result{result("SH-003", "Passed"), result("ST-001", "Passed")},
			want:    "RC-001 Passed, SH-001 Passed, SH-003 Passed, ST-001 Passed", verdict: v1alpha1.Conformant,
		},
		"interrupted again": {
			earlier: []v1alpha1.Result{result("RC-001", "Passed"), result("SH-001", "Failed"), result("SH-003", "Failed"), result("ST-001", "Passed")},
			now:     []v1alpha1.Result{result("SH-001", "Passed"), result("SH-003", "Skipped")},
			nowCut:  &v1alpha1.CutShort{Reason: "interrupted", NotJudged: []string{"SH-003"}},
			want:    "RC-001 Passed, SH-001 Passed, SH-003 Failed, ST-001 Passed", verdict: v1alpha1.NotConformant,
		},
		"some are left": {
			earlier: []v1alpha1.Result{result("RC-001", "Passed"), result("SH-001", "Passed"), result("SH-003", "Skipped"), result("ST-001", "Skipped")},
			cut:     &v1alpha1.CutShort{Reason: "interrupted", NotJudged: []string{"SH-003", "ST-001"}},
			now:     []v1alpha1.Result{result("SH-003", "Passed")},
			want:    "RC-001 Passed, SH-001 Passed, SH-003 Passed, ST-001 Skipped", verdict: v1alpha1.Inconclusive, left: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &renewal{all: all, earlier: &v1alpha1.ConformanceReport{Date: day(1), Results: tc.earlier, CutShort: tc.cut, Selection: v1alpha1.Selection{Skip: "x"}}}
			got := r.complete(&v1alpha1.ConformanceReport{Date: day(2), Results: tc.now, CutShort: tc.nowCut, Selection: v1alpha1.Selection{RerunFailed: true}})
			var results []string
			for _, result := range got.Results {
				results = append(results, result.ID+" "+string(result.Verdict))
			}
			if diff := cmp.Diff(tc.want, strings.Join(results, ", ")); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if got.Verdict != tc.verdict || got.Rerun.Date != day(1) || got.Date != day(2) || got.Selection.Skip != "x" || r.cut != (tc.nowCut != nil) {
				t.Errorf("verdict %s of %s, others of %s, selection %+v, cut short: %t", got.Verdict, got.Date, got.Rerun.Date, got.Selection, r.cut)
			}
			if got.Summary.NotJudged != tc.left || got.Summary.Skipped != 0 {
				t.Errorf("%d not judged, want %d; %d skipped", got.Summary.NotJudged, tc.left, got.Summary.Skipped)
			}
		})
	}
	before := &renewal{earlier: &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{result("RC-001", "Passed"), result("SH-001", "Failed"), result("SH-003", "Skipped")}}}
	if diff := cmp.Diff([]string{"RC-001"}, before.passed()); diff != "" {
		t.Errorf("passed before (-want +got):\n%s", diff)
	}
	if problem := (&renewal{earlier: &v1alpha1.ConformanceReport{ProfileDigest: "a"}}).problem("b", nil); problem != "the profile has changed since" {
		t.Errorf("another profile: %q", problem)
	}
	same := &renewal{earlier: &v1alpha1.ConformanceReport{ProfileDigest: "a", Versions: v1alpha1.Versions{Reconform: version}}}
	if problem := same.problem("a", nil); problem != "" {
		t.Errorf("the same: %q", problem)
	}
	if problem := same.problem("a", []v1alpha1.Exemption{{Expires: "2027-01-31"}}); problem != "an exemption of the profile has ended since" {
		t.Errorf("a day later: %q", problem)
	}
}

// TestSameKubernetes: results of two versions of Kubernetes do not come into one report.
func TestSameKubernetes(t *testing.T) {
	for _, tc := range []struct {
		was     string
		flags   runFlags
		assets  string
		refused bool
	}{
		{"v1.34.4", runFlags{}, "", true},
		{"v1.34.4", runFlags{kubernetes: kubernetesVersions{"v1.34.4"}}, "", false},
		{envtest.Version, runFlags{kubernetes: kubernetesVersions{"v1.34.4"}}, "", true},
		{envtest.Version, runFlags{}, "", false},
		{"v1.34.4", runFlags{}, "somewhere", false},
		{"v1.34.4", runFlags{kubernetes: kubernetesVersions{"v1.35.4"}}, "somewhere", true},
		{"v1.34.4", runFlags{kubeconfig: "kubeconfig"}, "", false},
		{"", runFlags{}, "", false}, // the report of a run that has not started
	} {
		t.Setenv("KUBEBUILDER_ASSETS", tc.assets)
		tc.flags.reportDir = "reports"
		err := tc.flags.sameKubernetes(&v1alpha1.ConformanceReport{Versions: v1alpha1.Versions{Kubernetes: tc.was}})
		if (err != nil) != tc.refused || err != nil && !strings.Contains(err.Error(), "the report in reports is of Kubernetes "+tc.was+", and this run would be of ") {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}
