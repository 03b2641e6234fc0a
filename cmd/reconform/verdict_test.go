package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestEndOfOutput: the last lines of the output say what was done, what was found, and
// what the usual mistake is.
func TestEndOfOutput(t *testing.T) {
	failed := func(id, step, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Verdict: v1alpha1.Failed, Reason: reason, Evidence: &v1alpha1.Evidence{Step: step, Catches: "a mistake"}}
	}
	for name, tc := range map[string]struct {
		result v1alpha1.Result
		want   string
	}{
		"a step that judges": {
			failed("SH-004", "Then the image of the spec comes back: assert",
				`at "Then the image of the spec comes back" (assert apps/v1/Deployment @ ns/demo): actual resource not found`),
			"what was found:\n  SH-004  When the Deployment gets a foreign image\n" +
				"          Then the image of the spec comes back: expected Deployment demo; found none\n" +
				"          the usual mistake: a mistake\n",
		},
		"another kind": {
			func() v1alpha1.Result {
				r := failed("CD-001", "Then nothing of it is left: error", "it is there")
				r.Must = "Deleting the Website removes its Deployment, ReplicaSets, Pods and Service, and whatever else the controller has made under its name. (Claims for volumes and Secrets may stay.)"
				return r
			}(),
			"what was found:\n  CD-001  Deleting the Website removes its Deployment, ReplicaSets, Pods and Service, and whatever\n" +
				"          else the controller has made under its name. (Claims for volumes and Secrets may stay.)\n          When the Website is deleted\n          it is there\n          the usual mistake: a mistake\n",
		},
		"a step before": {
			failed("SH-004", "Given the controller: create", "the controller does not start"),
			"what was found:\n  SH-004  the controller does not start\n          the usual mistake: a mistake\n",
		},
		"a requirement of other scenarios": {
			failed("XX-001", "Then it holds: assert", "it does not"),
			"what was found:\n  XX-001  it does not\n          the usual mistake: a mistake\n",
		},
		"with a symptom": {
			v1alpha1.Result{ID: "XX-001", Verdict: v1alpha1.Failed, Reason: "it does not", Evidence: &v1alpha1.Evidence{
				Symptoms: []v1alpha1.Symptom{{Seen: "Deployment demo was never made"}, {Seen: "another"}},
			}},
			"what was found:\n  XX-001  it does not\n          seen: Deployment demo was never made\n",
		},
		"what came before": {
			v1alpha1.Result{ID: "XX-001", Verdict: v1alpha1.Failed, Reason: "it does not", Evidence: &v1alpha1.Evidence{
				Before: []string{"before that, #8 update deployments demo was answered with 409"},
			}},
			"what was found:\n  XX-001  it does not\n          before that, #8 update deployments demo was answered with 409\n",
		},
		"no evidence": {v1alpha1.Result{ID: "SH-004", Verdict: v1alpha1.Failed, Reason: "why"}, "what was found:\n  SH-004  why\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			printMistakes(&out, &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{tc.result}})
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("end of the output (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIndex: the last lines name every failure, with its mistake, and not what was blocked.
func TestIndex(t *testing.T) {
	failed := func(n int, catches string) v1alpha1.Result {
		return v1alpha1.Result{ID: fmt.Sprintf("XX-%03d", n), Verdict: v1alpha1.Failed, Reason: "it does not", Evidence: &v1alpha1.Evidence{Catches: catches}}
	}
	const heading = "all that failed, each with its mistake:"
	blocked := v1alpha1.Result{ID: "XX-099", Verdict: v1alpha1.Blocked, Reason: "blocked"}
	crashed := failed(3, "")
	crashed.Evidence.Violations = []v1alpha1.Violation{{Rule: v1alpha1.RuleCrashed, Message: "subject-0 ended by itself"}}
	again := failed(1, "drift ignored")
	again.Repeat = 2
	var many []v1alpha1.Result
	for n := range 14 {
		many = append(many, failed(n+1, "drift ignored"))
	}
	for name, tc := range map[string]struct {
		results []v1alpha1.Result
		want    []string
	}{
		"nothing failed": {[]v1alpha1.Result{blocked}, nil},
		"one":            {[]v1alpha1.Result{failed(1, "drift ignored"), again, blocked}, nil},
		"some":           {[]v1alpha1.Result{failed(1, "drift ignored"), again, blocked, failed(2, "")}, []string{heading, "  XX-001  drift ignored", "  XX-002  it does not"}},
		"an invariant":   {[]v1alpha1.Result{crashed, failed(2, "")}, []string{heading, "  XX-003  its process ends by itself", "  XX-002  it does not"}},
		"long":           {[]v1alpha1.Result{failed(1, strings.Repeat("ü", 200)), failed(2, "")}, []string{heading, "  XX-001  " + strings.Repeat("ü", usualWidth-11) + "…", "  XX-002  it does not"}},
		"many": {many, []string{
			heading, "  XX-001  drift ignored", "  XX-002  drift ignored", "  XX-003  drift ignored", "  XX-004  drift ignored", "  XX-005  drift ignored",
			"  XX-006  drift ignored", "  XX-007  drift ignored", "  XX-008  drift ignored", "  XX-009  drift ignored", "  XX-010  drift ignored",
			"  XX-011  drift ignored", "  and 3 more",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			printIndex(&out, &v1alpha1.ConformanceReport{Results: tc.results})
			var got []string
			for line := range strings.Lines(out.String()) {
				got = append(got, strings.TrimRight(line, "\n"))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("last lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestJudgeRest: a run that left something out says which command judges that.
func TestJudgeRest(t *testing.T) {
	core := v1alpha1.Coverage{Judged: 1, Total: 3}
	for name, tc := range map[string]struct {
		flags  []string
		report v1alpha1.ConformanceReport
		want   string
	}{
		"all":      {[]string{"--profile=mine.yaml"}, v1alpha1.ConformanceReport{Core: core}, ""},
		"selected": {[]string{"--profile=mine.yaml", "--run=^RC-", "--max-time=5m", "--quiet"}, v1alpha1.ConformanceReport{Core: core, Selection: v1alpha1.Selection{Run: "^RC-"}}, "run --profile=mine.yaml"},
		"nothing core is left": {
			[]string{"--skip=^EV-"},
			v1alpha1.ConformanceReport{Core: v1alpha1.Coverage{Judged: 3, Total: 3}, Selection: v1alpha1.Selection{Skip: "^EV-"}},
			"",
		},
		"cut short": {
			[]string{"--run=^RC-", "--max-time=5m", "--report-dir=mine"},
			v1alpha1.ConformanceReport{Core: core, Selection: v1alpha1.Selection{Run: "^RC-"}, CutShort: &v1alpha1.CutShort{NotJudged: []string{"RC-002"}}},
			"run --report-dir=mine --rerun-failed",
		},
		"a shard":     {[]string{"--shard=1/2"}, v1alpha1.ConformanceReport{Core: core, Shard: &v1alpha1.Shard{Index: 1, Count: 2}}, ""},
		"what failed": {[]string{"--rerun-failed"}, v1alpha1.ConformanceReport{Core: core, Selection: v1alpha1.Selection{RerunFailed: true}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := newRunCommand()
			if err := cmd.ParseFlags(tc.flags); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, judgeRest(cmd, &tc.report)); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRerun: the terminal says which results are newer than the others, also if none is.
func TestRerun(t *testing.T) {
	date := metav1.NewTime(time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC))
	for name, tc := range map[string]struct {
		rerun *v1alpha1.Rerun
		want  string
	}{
		"no":      {nil, ""},
		"one":     {&v1alpha1.Rerun{Date: date, Judged: []string{"SH-001"}}, "judged again: SH-001; all other results are of 2026-11-30 10:00:00, so run all once more: run\n"},
		"nothing": {&v1alpha1.Rerun{Date: date}, "nothing was judged again; all results are of 2026-11-30 10:00:00, so run all once more: run\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			printRerun(&out, &v1alpha1.ConformanceReport{Rerun: tc.rerun, Reproduce: "run"})
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAdvice: a terminal shows some of it, and how much more there is.
func TestAdvice(t *testing.T) {
	for name, tc := range map[string]struct {
		advice []string
		want   string
	}{
		"none": {nil, ""},
		"two":  {[]string{"a", "b"}, "advice by RB-002: a\nadvice by RB-002: b\n"},
		"four": {[]string{"a", "b", "c", "d"}, "advice by RB-002: a\nadvice by RB-002: b\nadvice by RB-002: 2 more, in the report\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			printAdvice(&out, &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{{ID: "SH-001"}, {ID: "RB-002", Advice: tc.advice}}})
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}
