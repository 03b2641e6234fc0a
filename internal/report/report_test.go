package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

func sample() *v1alpha1.ConformanceReport {
	r := &v1alpha1.ConformanceReport{
		Implementation: v1alpha1.Implementation{Name: "some <b>controller</b>"},
		Profile:        "some",
		TimeoutScale:   0.5,
		Isolation:      []string{"the <network>"},
		Verdict:        v1alpha1.NotConformant,
		Summary:        v1alpha1.Summary{Passed: 1, Failed: 1, Inconclusive: 1, Skipped: 1},
		Core:           v1alpha1.Coverage{Judged: 2, Total: 66},
		Results: []v1alpha1.Result{
			{ID: "RC-001", Area: "reconcile", Level: "core", Verdict: v1alpha1.Passed, Must: "A new WebApp gets a Deployment", FirstLook: "failed: <late>"},
			{
				ID: "SH-004", Area: "self-healing", Level: "core", Verdict: v1alpha1.Failed, Must: "A foreign image is undone",
				Reason: "at \"it is undone\" (assert): spec: no",
				Evidence: &v1alpha1.Evidence{
					Difference: "--- expected\n+++ actual\n```\n<script>alert(1)</script>", Hint: "compare the whole template",
					Log: []string{"\x1b[31mboom\x1b[0m"}, Reproduce: "reconform run --run '^SH-004$'",
				},
			},
			{ID: "SS-001", Area: "steady-state", Level: "core", Verdict: v1alpha1.ResultInconclusive, Must: "m", Reason: "etcd died"},
			{ID: "RC-002", Area: "reconcile", Level: "extended", Verdict: v1alpha1.Skipped, Must: "m", Reason: "feature service is not claimed"},
		},
	}
	r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), "ConformanceReport"
	return r
}

func TestWriteMakesEveryFile(t *testing.T) {
	dir := t.TempDir()
	step := filepath.Join(t.TempDir(), "step.md")
	t.Setenv(stepSummary, step)
	if err := Write(dir, sample()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, YAMLFile))
	if err != nil {
		t.Fatal(err)
	}
	back := &v1alpha1.ConformanceReport{}
	if err := yaml.UnmarshalStrict(data, back); err != nil {
		t.Fatal(err)
	}
	want := sample()
	sanitize.All(want)
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("report read back (-want +got):\n%s", diff)
	}
	for _, part := range []string{"apiVersion: reconform.dev/v1alpha1\nkind: ConformanceReport\nimplementation:", "\nverdict: NotConformant\nsummary:\n  passed: 1\n", "difference: |-\n"} {
		if !strings.Contains(string(data), part) {
			t.Errorf("the report lacks %q:\n%s", part, data)
		}
	}
	summary, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if err != nil {
		t.Fatal(err)
	}
	appended, err := os.ReadFile(step)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(summary), string(appended)); diff != "" {
		t.Errorf("step summary (-file +appended):\n%s", diff)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestJUnitIsWellFormedAndCounts(t *testing.T) {
	data, err := junitOf(sample())
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(string(data)))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("reading it back: %v\n%s", err, data)
		}
	}
	document := junitSuites{}
	if err := xml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	got := []int{document.Tests, document.Failures, document.Errors, document.Skipped, len(document.Suites)}
	if diff := cmp.Diff([]int{4, 1, 1, 1, 3}, got); diff != "" {
		t.Errorf("tests, failures, errors, skipped, suites (-want +got):\n%s", diff)
	}
}

func TestSummaryHoldsNoMarkupOfTheSubject(t *testing.T) {
	summary := Summary(sample())
	for _, part := range []string{
		"## ❌ some &lt;b&gt;controller&lt;/b&gt; is not conformant: 1 requirement failed\n",
		"1 passed, 1 failed, 1 inconclusive, 1 skipped",
		"\n\n2 of 66 core requirements judged.\n\n",
		"\n\n> Every time limit was multiplied by 0.5.\n\n> Not isolated on this machine: the &lt;network&gt;\n\n",
		"### ❌ SH-004: failed",
		"````\n--- expected", // a fence longer than the one inside
		"- RC-001: passed; at first failed: &lt;late&gt;",
		"- RC-002 (extended): feature service is not claimed",
	} {
		if !strings.Contains(summary, part) {
			t.Errorf("the summary lacks %q:\n%s", part, summary)
		}
	}
}

// TestCell: what a subject wrote stands in Markdown as it wrote it, also if it escapes what
// Markdown would take for markup.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"a  b\nc":              "a b c",
		"<b>[x](http://x) | y": `&lt;b&gt;\[x](http://x) \| y`,
		`\[x](http://x)`:       `\\\[x](http://x)`,
		`\| C:\dir`:            `\\\| C:\\dir`,
		"`a` and ``b":          "\\`a\\` and \\`\\`b",
	} {
		if got := cell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// rare is a report with the verdicts that are rare.
func rare() *v1alpha1.ConformanceReport {
	return &v1alpha1.ConformanceReport{
		Verdict: v1alpha1.NotConformant, Summary: v1alpha1.Summary{Failed: 1, Blocked: 1, Flaky: 1, NotExercised: 1},
		Classes: []v1alpha1.ClassResult{
			{Name: "Core", Verdict: v1alpha1.ClassNotConformant, Required: v1alpha1.Tally{Passed: 1, Failed: 2, Total: 3}},
			{Name: "High availability", Verdict: v1alpha1.ClassNotClaimed, Required: v1alpha1.Tally{NotClaimed: 1, Total: 1}},
		},
		Results: []v1alpha1.Result{
			{ID: "SH-003", Area: "self-healing", Level: "core", Verdict: v1alpha1.Failed, Reason: "at x"},
			{ID: "CS-005", Area: "cache-sync", Level: "core", Verdict: v1alpha1.Blocked, BlockedBy: "SH-003", Reason: "blocked by SH-003; itself it failed at \"Then it is\" (assert v1/Pod @ x): spec.a: Invalid value: 1: Expected value: 2"},
			{ID: "SS-001", Area: "steady-state", Level: "core", Verdict: v1alpha1.Flaky, Reason: "at y"},
			{ID: "CS-007", Area: "cache-sync", Level: "core", Verdict: v1alpha1.NotExercised, Reason: "no Fault fired"},
		},
	}
}

func TestSummaryOfRareVerdicts(t *testing.T) {
	summary := Summary(rare())
	for _, part := range []string{
		"**not conformant: Core; not claimed: High availability**\n",
		"0 passed, 1 failed, 0 inconclusive, 0 skipped, 1 blocked, 1 flaky, 1 not exercised, in ",
		"### ❌ SH-003: failed", "### ❌ SS-001: flaky",
		"<summary>blocked by what failed</summary>\n\n- CS-005 (core): blocked by SH-003; failed at: Then it is; expected: spec.a = 2; found: 1",
		"<summary>not exercised</summary>\n\n- CS-007 (core): no Fault fired\n",
		"| Core | not conformant | 1 of 3 | 0 of 0 |\n", "| cache-sync | 0 | 0 | 0 | 0 | 2 |\n",
	} {
		if !strings.Contains(summary, part) {
			t.Errorf("the summary lacks %q:\n%s", part, summary)
		}
	}
	if strings.Contains(summary, "### ➖ CS-005") {
		t.Errorf("what is blocked has a section of its own:\n%s", summary)
	}
}

// TestCut: a run that was cut short says what it did not judge, or that everything was
// judged.
func TestCut(t *testing.T) {
	r := rare()
	r.CutShort = &v1alpha1.CutShort{Reason: "time was up", NotJudged: []string{"RC-001"}}
	r.Results = append(r.Results, v1alpha1.Result{ID: "RC-001", Level: "core", Verdict: v1alpha1.Skipped, Reason: "not judged: time was up"})
	if summary := Summary(r); !strings.Contains(summary, "<summary>not judged, as time was up</summary>\n\n- RC-001\n") || strings.Contains(summary, "<summary>skipped</summary>") {
		t.Errorf("what was not reached is not listed as such, or as skipped:\n%s", summary)
	}
	for want, cut := range map[string]*v1alpha1.CutShort{
		"": nil,
		"not judged, as the run was interrupted: SH-001, SH-003":                                                         {Reason: "the run was interrupted", NotJudged: []string{"SH-001", "SH-003"}},
		"not judged, as time was up: SH-001, SH-001, SH-001, SH-001, SH-001, SH-001, SH-001, SH-001 and 2 more":          {Reason: "time was up", NotJudged: slices.Repeat([]string{"SH-001"}, 10)},
		"the run was interrupted; every requirement that was selected has a verdict all the same, without a second look": {Reason: "the run was interrupted"},
	} {
		if got := Cut(&v1alpha1.ConformanceReport{CutShort: cut}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBeside: a line names scenarios that passed although an invariant was broken, as
// many as fit.
func TestBeside(t *testing.T) {
	r := &v1alpha1.ConformanceReport{}
	for n := range 10 {
		r.Results = append(r.Results, v1alpha1.Result{ID: fmt.Sprintf("SH-%03d", n), Verdict: v1alpha1.Passed, Beside: []string{"HotLoop, which is judged by SS-001: it did"}})
	}
	want := []string{"passed, although an invariant was broken in it that another requirement judges: 10, with SH-000, SH-001, SH-002, SH-003, SH-004, SH-005, SH-006, SH-007 and 2 more"}
	if diff := cmp.Diff(want, Lists(r, Painter{})); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
}

// TestNotStarted: if the controller does not start, one error says so, with the last
// lines of its output.
func TestNotStarted(t *testing.T) {
	r := &v1alpha1.ConformanceReport{
		Verdict: v1alpha1.Inconclusive, Summary: v1alpha1.Summary{Blocked: 2},
		NotStarted: &v1alpha1.NotStarted{Reason: "it was not ready in 60s", Log: []string{"no such flag"}},
		Results: []v1alpha1.Result{
			{ID: "SH-003", Area: "self-healing", Verdict: v1alpha1.Blocked, Reason: "the controller does not start"},
			{ID: "SH-004", Area: "self-healing", Verdict: v1alpha1.Blocked, Reason: "the controller does not start"},
		},
	}
	if summary := Summary(r); strings.Count(summary, "does not start") != 1 || !strings.Contains(summary, "no such flag") {
		t.Errorf("the summary does not say once that it does not start:\n%s", summary)
	}
	silent := *r
	silent.NotStarted = &v1alpha1.NotStarted{Reason: "it was not ready in 60s; it wrote nothing"}
	if summary := Summary(&silent); strings.Contains(summary, "```") {
		t.Errorf("the summary has an empty log:\n%s", summary)
	}
	data, err := junitOf(r)
	if err != nil {
		t.Fatal(err)
	}
	document := junitSuites{}
	if err := xml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	got := []int{document.Tests, document.Failures, document.Errors, document.Skipped, len(document.Suites)}
	if diff := cmp.Diff([]int{3, 0, 1, 2, 2}, got); diff != "" {
		t.Errorf("tests, failures, errors, skipped, suites (-want +got):\n%s", diff)
	}
}

func TestWriteIntoNoFolder(t *testing.T) {
	err := Write(filepath.Join(t.TempDir(), "absent"), sample())
	if err == nil || !strings.Contains(err.Error(), YAMLFile) {
		t.Errorf("Write = %v, want an error that names the file", err)
	}
}

// TestFormatsAreTold: docs/report.md names the file of each format.
func TestFormatsAreTold(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats() {
		if !strings.Contains(string(text), "`"+f.name+"`") {
			t.Errorf("docs/report.md does not name %s", f.name)
		}
	}
}

// If one file cannot be written, the others are written all the same.
func TestWriteOnAFullDisk(t *testing.T) {
	t.Setenv(stepSummary, "")
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, JUnitFile, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, sample()); err == nil || !strings.Contains(err.Error(), "writing "+JUnitFile) {
		t.Errorf("got the error %v, want one about %s", err, JUnitFile)
	}
	for _, name := range []string{YAMLFile, SummaryFile, BadgeFile, ShieldFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
}
