package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/catalogue"
	"reconform.dev/reconform/conformance/chainsaw"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/invariant"
	"reconform.dev/reconform/conformance/profile"
	"reconform.dev/reconform/conformance/report"
	"reconform.dev/reconform/conformance/subject"
)

const inNamespace = "reconform-sh-001"

func TestReason(t *testing.T) {
	for name, tc := range map[string]struct{ message, want string }{
		"findings": {
			"--------\nv1/Pod/a/b\n--------\n* spec.x: Invalid value: 1\n* spec.y: Required\n\n--- expected\n+++ actual",
			`at "It is undone" (assert): spec.x: Invalid value: 1; spec.y: Required`,
		},
		"none":       {"\n  actual resource not found\nmore\n", `at "It is undone" (assert): actual resource not found`},
		"no message": {"", `at "It is undone" (assert): `},
	} {
		t.Run(name, func(t *testing.T) {
			got := reason(chainsaw.Failure{Step: "It is undone", Operation: "assert", Message: tc.message})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reason (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnanswered(t *testing.T) {
	for message, want := range map[string]bool{
		`Get "https://127.0.0.1:34709/apis/apps/v1/namespaces/x/deployments/demo": context deadline exceeded`: true,
		"client rate limiter Wait returned an error: context deadline exceeded":                               true,
		"* status.message: Invalid value: \"Get \\\"https://\\\"\"":                                           false,
		"actual resource not found": false,
	} {
		if got := unanswered(chainsaw.Failure{Message: message}); got != want {
			t.Errorf("unanswered(%s) = %t, want %t", message, got, want)
		}
	}
}

func TestAccuses(t *testing.T) {
	for name, tc := range map[string]struct {
		step, message string
		want          bool
	}{
		"what was given":    {"Given a WebApp", "* spec: no", false},
		"what was done":     {"When it is deleted", "* spec: no", false},
		"what is judged":    {"Then it comes back", "* spec: no", true},
		"no role":           {"It comes back", "* spec: no", true},
		"not as expected":   {"Then it is calm", "Traffic calm is not as expected: expected no writes, found 2", true},
		"cannot be judged":  {"Then it is calm", "Observation calm cannot be judged: evaluating: no such key: x", false},
		"the bench refused": {"Then it is calm", `admission webhook "bench.reconform.dev" denied the request: there is no Traffic first`, false},
		"the bench is gone": {"Then it is calm", `Internal error occurred: failed calling webhook "bench.reconform.dev": connection refused`, false},
		"another's webhook": {"Then it is calm", `admission webhook "webapps.example.com" denied the request: no`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := accuses(chainsaw.Failure{Step: tc.step, Message: tc.message}); got != tc.want {
				t.Errorf("accuses = %t, want %t", got, tc.want)
			}
		})
	}
}

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

func TestJudge(t *testing.T) {
	began := time.Unix(100, 0)
	passed := &chainsaw.Test{Finished: true, Passed: true, Started: began, Ended: began.Add(2 * time.Second)}
	failed := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{
		{Step: "It is undone", Operation: "assert", Message: "* spec: no"}, {Step: "later", Operation: "assert", Message: "* else"},
	}}
	unprepared := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Given a WebApp", Operation: "apply", Message: "no such kind"}}}
	started := history.Event{Scenario: inNamespace, Subject: subjectName, Reason: subject.EventSubjectStarted}
	crashed := history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: subject.EventCrashed, Message: "exited with status 1"}
	armed := history.Event{Scenario: inNamespace, Object: "Fault/lost", Reason: history.FaultArmed}
	fired := history.Event{Scenario: inNamespace, Object: "Fault/lost", Reason: history.FaultFired}
	request := history.Request{Scenario: inNamespace, Subject: subjectName, Verb: "list", Path: "/apis/apps/v1/deployments"}
	for name, tc := range map[string]struct {
		events   []history.Event
		requests []int // answers
		test     *chainsaw.Test
		broken   error
		want     v1alpha1.ResultVerdict
		reason   string
	}{
		"passed": {[]history.Event{started}, []int{200}, passed, nil, v1alpha1.Passed, ""},
		"failed": {[]history.Event{started}, []int{200}, failed, nil, v1alpha1.Failed, `at "It is undone" (assert): spec: no`},
		"not prepared": {
			[]history.Event{started},
			[]int{200},
			unprepared, nil, v1alpha1.ResultInconclusive,
			`the scenario could not be carried out: it failed at "Given a WebApp" (apply): no such kind`,
		},
		"failed with a crash": {[]history.Event{started, crashed}, []int{200}, failed, nil, v1alpha1.Failed, `Crashed: subject-0 ended by itself: exited with status 1 (#2); the scenario failed at "It is undone" (assert): spec: no`},
		"silent":              {[]history.Event{started}, nil, passed, nil, v1alpha1.ResultInconclusive, "the scenario passed, but no request of the subject was ever seen"},
		"without a subject":   {nil, nil, passed, nil, v1alpha1.Passed, ""},
		"server errors": {
			[]history.Event{started},
			[]int{200, 503},
			failed, nil, v1alpha1.ResultInconclusive,
			"the API server answered with errors that nobody ordered: #3 503 on list /apis/apps/v1/deployments",
		},
		"a crash": {
			[]history.Event{started, crashed},
			[]int{200},
			passed, nil, v1alpha1.Failed, "Crashed: subject-0 ended by itself: exited with status 1 (#2)",
		},
		"a fault that fired": {[]history.Event{started, armed, fired}, []int{200}, passed, nil, v1alpha1.Passed, ""},
		"one that did not":   {[]history.Event{started, armed}, []int{200}, passed, nil, v1alpha1.ResultInconclusive, "Fault/lost never fired"},
		"never ran":          {nil, nil, nil, nil, v1alpha1.ResultInconclusive, "the scenario never ran"},
		"the bench broke":    {nil, nil, passed, errors.New("etcd died"), v1alpha1.ResultInconclusive, "etcd died"},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			for _, event := range tc.events {
				recorder.Event(event)
			}
			for _, code := range tc.requests {
				recorder.Begin(request).Finish(func(r *history.Request) { r.Code = code })
			}
			dir := t.TempDir()
			logs := filepath.Join(dir, report.LogDir, inNamespace)
			if err := os.MkdirAll(logs, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(logs, "subject-0.log"), []byte("one\ntwo\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := &run{options: &Options{ReportDir: dir, TimeoutScale: 1}, recorder: recorder}
			s := scenario{implementation: implementation(t), requirement: catalogue.Requirement{ID: "SH-001", Name: "sh-001", Hint: "look there"}, namespace: inNamespace}
			got, _ := r.judge(s, tc.test, tc.broken)
			if got.Verdict != tc.want || got.Reason != tc.reason {
				t.Errorf("judge = %s, %q, want %s, %q", got.Verdict, got.Reason, tc.want, tc.reason)
			}
			if (got.Evidence == nil) != (tc.want == v1alpha1.Passed) {
				t.Errorf("evidence: %+v", got.Evidence)
			}
			if e := got.Evidence; e != nil && (strings.Join(e.Log, " ") != "one two" || e.Reproduce != "reconform run --run '^SH-001$'") {
				t.Errorf("evidence: %+v", e)
			}
		})
	}
}

func TestUnfired(t *testing.T) {
	event := func(reason, object string) history.Event { return history.Event{Reason: reason, Object: object} }
	optional := history.Event{Reason: history.FaultArmed, Object: "Fault/a", Optional: true}
	for name, tc := range map[string]struct {
		events []history.Event
		want   []string
	}{
		"nothing ordered":       {nil, nil},
		"fired":                 {[]history.Event{event("FaultArmed", "Fault/a"), event("FaultFired", "Fault/a")}, nil},
		"did not fire":          {[]history.Event{event("FaultArmed", "Fault/b"), event("FaultArmed", "Fault/a")}, []string{"Fault/a never fired", "Fault/b never fired"}},
		"need not":              {[]history.Event{optional}, nil},
		"another of its name":   {[]history.Event{event("FaultArmed", "Fault/a"), event("FaultArmed", "Fault/a"), event("FaultFired", "Fault/a")}, []string{"Fault/a never fired"}},
		"nonsense":              {[]history.Event{{Reason: "FaultInvalid", Object: "Fault/a", Message: "no such replica"}}, []string{"Fault/a could not be carried out: no such replica"}},
		"a disruption that did": {[]history.Event{{Reason: "DisruptionFailed", Object: "Disruption/a", Message: "it is gone"}}, []string{"Disruption/a could not be carried out: it is gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, unfired(tc.events)); diff != "" {
				t.Errorf("unfired (-want +got):\n%s", diff)
			}
		})
	}
}

// TestProvoked has a scenario order what would be a violation.
func TestProvoked(t *testing.T) {
	recorder := history.New(nil, nil)
	recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed})
	r := &run{options: &Options{TimeoutScale: 1}, recorder: recorder}
	s := scenario{implementation: implementation(t), namespace: inNamespace}
	if got := r.violations(s); len(got) != 1 {
		t.Errorf("violations: %v", got)
	}
	s.requirement.Provokes = []string{"Forbidden", "Crashed"}
	if got := r.violations(s); len(got) != 0 {
		t.Errorf("violations that the scenario provokes: %v", got)
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
	for name, text := range map[string]string{"subject-0.log": "a\nb\nc\n", "subject-1.log": "d\n", "other": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"==> subject-0.log <==", "b", "c", "==> subject-1.log <==", "d"}
	if diff := cmp.Diff(want, lastLines(dir, 2)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if lines := lastLines(filepath.Join(dir, "absent"), 2); lines != nil {
		t.Errorf("lines of nothing: %q", lines)
	}
}
