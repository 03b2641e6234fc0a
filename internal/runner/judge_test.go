package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

const inNamespace = "reconform-sh-001"

func TestCountTests(t *testing.T) {
	two := make([]scenario, 2)
	for name, tc := range map[string]struct {
		tests []chainsaw.Test
		want  string
	}{
		"all ended":      {[]chainsaw.Test{{Finished: true}, {Finished: true}}, ""},
		"one cut short":  {[]chainsaw.Test{{Finished: true}, {}}, "1 of 2 scenarios ran to their end"},
		"one never came": {[]chainsaw.Test{{Finished: true}}, "1 of 2 scenarios ran to their end"},
		"nothing ran":    {nil, "0 of 2 scenarios ran to their end"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := countTests(tc.tests, two); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("countTests = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestEvidence checks that only the results of scenarios that did not pass have
// evidence.
func TestEvidence(t *testing.T) {
	dir := t.TempDir()
	logs := filepath.Join(dir, report.LogDir, inNamespace)
	if err := os.MkdirAll(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(logs, "subject-0.log"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	recorder := history.New(nil, nil)
	r := &run{options: &Options{ReportDir: dir, TimeoutScale: 1}, recorder: recorder}
	s := scenario{
		implementation: implementation(t), namespace: inNamespace, repeat: 2,
		requirement: catalogue.Requirement{ID: "SH-001", Path: "a/b.yaml", Raw: []byte("spec:\n  steps:\n  - name: It is undone\n"), Name: "sh-001", Catches: "drift", Hint: "look there"},
	}
	began := time.Unix(100, 0)
	passed := &chainsaw.Test{Finished: true, Passed: true, Started: began, Ended: began.Add(2 * time.Second)}
	if got := r.judge(s, passed, nil, nil).result; got.Verdict != v1alpha1.Passed || got.Evidence != nil || got.Repeat != 2 || got.Duration.Duration != 2*time.Second {
		t.Errorf("result of what passed: %+v", got)
	}
	recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed})
	failed := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "It is undone", Operation: "assert", Message: "* spec: no"}}}
	got := r.judge(s, failed, nil, nil).result
	if got.Verdict != v1alpha1.Failed || got.Evidence == nil || len(got.Evidence.Violations) != 1 {
		t.Fatalf("result of what failed: %+v", got)
	}
	got.Evidence.Violations, got.Evidence.Requests = nil, nil
	want := &v1alpha1.Evidence{
		Failure: `at "It is undone" (assert): spec: no`,
		Step:    "It is undone: assert", Difference: "* spec: no", Catches: "drift", Hint: "look there",
		Scenario: "scenarios/a/b.yaml:3", Namespace: inNamespace, Logs: []string{"logs/" + inNamespace + "/subject-0.log"},
		Log: []string{"one", "two"}, Reproduce: "reconform run --run '^SH-001$'",
	}
	if diff := cmp.Diff(want, got.Evidence); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

// TestHintOfAnInvariant: if a scenario failed only because of an invariant that another
// requirement judges, it shows the hint of that invariant.
func TestHintOfAnInvariant(t *testing.T) {
	violations := []v1alpha1.Violation{{Rule: v1alpha1.RuleCrashed}}
	for name, tc := range map[string]struct {
		judges  []string
		failure bool
		want    string
	}{
		"elsewhere":         {nil, false, invariant.Hint(v1alpha1.RuleCrashed) + " If it ended because of what this scenario does: look there"},
		"at home":           {[]string{v1alpha1.RuleCrashed}, false, "look there"},
		"a step failed too": {nil, true, "look there"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{options: &Options{TimeoutScale: 1}, recorder: history.New(nil, nil)}
			s := scenario{
				implementation: implementation(t), namespace: inNamespace,
				requirement: catalogue.Requirement{ID: "SH-001", Hint: "look there", Catches: "drift", Judges: tc.judges},
			}
			found := verdict.Finding{Violations: violations}
			if !tc.failure {
				found.Without = &v1alpha1.Itself{Verdict: v1alpha1.Passed}
			}
			if got := r.evidence(s, nil, found, history.Account{}); got.Hint != tc.want || (got.Catches == "") != (tc.want != "look there") {
				t.Errorf("hint %q of %q, want %q", got.Hint, got.Catches, tc.want)
			}
		})
	}
}

// TestLastWords: the evidence has what the subject printed up to the moment at which a
// step failed.
func TestLastWords(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, report.LogDir, inNamespace, "subject-0.log")
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{options: &Options{ReportDir: dir}}
	s := &scenario{namespace: inNamespace}
	write("cannot\n")
	r.listen(s, chainsaw.Event{Step: "Then it is undone"})
	write("cannot\nstill cannot\n")
	r.listen(s, chainsaw.Event{Step: "Then it is undone", Failed: "Then it is undone"})
	write("cannot\nstill cannot\nshutting down\n")
	r.listen(s, chainsaw.Event{Kind: chainsaw.Ended, Failed: "Then it is undone"})
	if diff := cmp.Diff([]string{"cannot", "still cannot"}, r.lastWords(inNamespace)); diff != "" {
		t.Errorf("last words (-want +got):\n%s", diff)
	}
}

// TestLinesOfTheStep: of many lines of the failed step, the first ones are there, too. Lines of
// the steps before are not in their way.
func TestLinesOfTheStep(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, report.LogDir, inNamespace, "subject-0.log")
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		t.Fatal(err)
	}
	r, s, text := &run{options: &Options{ReportDir: dir}}, &scenario{namespace: inNamespace}, ""
	write := func(lines string) {
		text += lines
		if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat("before\n", 50))
	r.listen(s, chainsaw.Event{Step: "Then it is undone"})
	write("cannot\n" + strings.Repeat("again\n", 50) + "last\n")
	r.listen(s, chainsaw.Event{Step: "Then it is undone", Operation: "assert"})
	r.listen(s, chainsaw.Event{Step: "Then it is undone", Failed: "Then it is undone"})
	want := slices.Concat([]string{"cannot"}, slices.Repeat([]string{"again"}, 9),
		[]string{"… (33 lines of this step are left out)"}, slices.Repeat([]string{"again"}, 8), []string{"last"})
	if diff := cmp.Diff(want, r.lastWords(inNamespace)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestProving: a violation is proved by its requests. Without a failed step there is
// nothing else to show.
func TestProving(t *testing.T) {
	request := history.Request{Seq: 7, Verb: "update", Resource: "deployments", Name: "demo", Replica: "subject-0", Code: 200, Effect: history.EffectEffective}
	account := history.Account{Requests: []history.Request{{Seq: 6, Verb: "get"}, request}}
	got := proving(account, []v1alpha1.Violation{{Rule: "HotLoop", Requests: []int64{7}}})
	if diff := cmp.Diff([]string{"#7 update deployments demo by subject-0 at 00:00:00.000: 200, effective"}, got); diff != "" {
		t.Errorf("proving (-want +got):\n%s", diff)
	}
	r := &run{options: &Options{ReportDir: t.TempDir()}}
	found := verdict.Finding{Violations: []v1alpha1.Violation{{Rule: "HotLoop", Requests: []int64{7}}}}
	e := r.evidence(scenario{implementation: implementation(t)}, &chainsaw.Test{Passed: true, Output: []string{"a page"}}, found, account)
	if e.Difference != "" || e.Log != nil || len(e.Requests) != 1 {
		t.Errorf("evidence: %+v", e)
	}
}

func implementation(t *testing.T) *Implementation {
	t.Helper()
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	return &Implementation{Profile: p, contract: invariant.ContractOf(p)}
}

func TestLastLinesOfSeveralReplicas(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"subject-0.log": "a\nb\nc\n", "subject-1.log": "d\n", "subject-2.log": "\n", "other": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"==> subject-0.log <==", "b", "c", "==> subject-1.log <==", "d"}
	if diff := cmp.Diff(want, linesSince(dir, 2, nil)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if lines := linesSince(filepath.Join(dir, "absent"), 2, nil); lines != nil {
		t.Errorf("lines of nothing: %q", lines)
	}
}

func TestLastLinesOfALogThatIsLarge(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("x", 1<<20) + "\nb\n"
	if err := os.WriteFile(filepath.Join(dir, "subject-0.log"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b"}, linesSince(dir, 1, nil)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	lines := linesSince(dir, 2, nil)
	if len(lines) != 2 || len(lines[0]) > sanitize.MostLine || !strings.HasPrefix(lines[0], "(786435 bytes left out) …x") {
		t.Errorf("lines: %q", lines)
	}
}

// TestOutputOfAScenarioThatPassed: if a process ended while every step passed, the log of the
// steps shows nothing that is wrong.
func TestOutputOfAScenarioThatPassed(t *testing.T) {
	r := &run{options: &Options{TimeoutScale: 1}, recorder: history.New(nil, nil)}
	s := scenario{implementation: implementation(t), namespace: inNamespace, requirement: catalogue.Requirement{ID: "SH-001"}}
	test := &chainsaw.Test{Output: []string{"--- PASS: chainsaw"}}
	for name, tc := range map[string]struct {
		found verdict.Finding
		want  string
	}{
		"a process ended": {verdict.Finding{Violations: []v1alpha1.Violation{{Rule: v1alpha1.RuleCrashed}}}, ""},
		"nothing known":   {verdict.Finding{}, "--- PASS: chainsaw"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, r.evidence(s, test, tc.found, history.Account{}).Difference); diff != "" {
				t.Errorf("what is shown of the steps (-want +got):\n%s", diff)
			}
		})
	}
}
