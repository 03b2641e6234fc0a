package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
	about "reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/report/logline"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestCauses: failures that follow from a cause are shown below it, and so are other
// failures of the same kind. A step that failed beside a broken invariant is a cause of
// its own.
func TestCauses(t *testing.T) {
	broken := func(id string, v v1alpha1.ResultVerdict, by, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Verdict: v, BlockedBy: by, Reason: reason, Evidence: &v1alpha1.Evidence{
			Violations: []v1alpha1.Violation{{Rule: "HotLoop", About: "update of x"}},
		}}
	}
	var entries []*entry
	for _, r := range []v1alpha1.Result{
		{ID: "RC-001", Verdict: v1alpha1.Failed, Reason: "at a step"},
		broken("SS-001", v1alpha1.Failed, "", "at a step; beside it, HotLoop, which SS-004 has: …"),
		broken("SS-004", v1alpha1.Failed, "", "HotLoop: it repeated"),
		broken("SS-005", v1alpha1.Blocked, "SS-004", "blocked by SS-004"),
		{ID: "SS-006", Verdict: v1alpha1.Blocked, BlockedBy: "SS-001"},
		{ID: "SS-007", Verdict: v1alpha1.Blocked, BlockedBy: "XX-001"},
		{ID: "SS-008", Verdict: v1alpha1.ResultInconclusive},
		{ID: "SS-009", Verdict: v1alpha1.Passed},
		broken("SS-010", v1alpha1.Failed, "", "HotLoop: it repeated here, too"),
	} {
		entries = append(entries, newEntry(&r, nil, &v1alpha1.ConformanceReport{}))
	}
	ids := func(entries []*entry) string {
		var all []string
		for _, e := range entries {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s [%s] [%s]", e.Title, titles(e.Followers), titles(e.Same))))
		}
		return strings.Join(all, "; ")
	}
	roots, unsure, orphans := causes(entries)
	for _, tc := range []struct{ got, want string }{
		{ids(roots), "SS-004 [SS-005] [SS-010]; SS-001 [SS-006] []; RC-001 [] []"}, {ids(unsure), "SS-008 [] []"}, {ids(orphans), "SS-007 [] []"},
	} {
		if tc.got != tc.want {
			t.Errorf("got  %s\nwant %s", tc.got, tc.want)
		}
	}
	if got := entries[2].Mistake; got != "A request is repeated without pauses" {
		t.Errorf("the mistake of what is about an invariant alone is %q", got)
	}
	if entries[7].elsewhere {
		t.Error("what passed stands with what failed")
	}
}

func titles(entries []*entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Title)
	}
	return strings.Join(all, " ")
}

// TestFinding: a reason is split into its parts. A part is left out only if the page
// shows it elsewhere.
func TestFinding(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		want     finding
		happened string
	}{
		"words": {"the controller does not start", finding{Text: "the controller does not start"}, ""},
		"a step": {`at "Then it is back" (assert v1/Pod @ a/b): spec.x: Invalid value: 7: Expected value: 2`, finding{
			Step: "Then it is back", Operation: "assert v1/Pod @ a/b", Pairs: []about.Pair{{Expected: "spec.x = 2", Found: "7, in Pod b"}},
		}, ""},
		"a comparison of values only": {`at "Then it is back" (assert / @ *): (length($x)): Invalid value: 7: Expected value: 2`, finding{
			Step: "Then it is back", Pairs: []about.Pair{{Expected: "length($x) = 2", Found: "7"}},
		}, ""},
		"an invariant and a step": {`HotLoop: it repeated (#1, #2); the scenario failed at "Then x" (assert y): expected 1, found 2 in 10s: #1 create pods a (refused); #2 get pods b`, finding{
			Before: "HotLoop: it repeated (#1, #2)", Step: "Then x", Operation: "assert y", Pairs: []about.Pair{{Expected: "1", Found: "2"}}, Text: "expected 1, found 2 in 10s",
			Requests: []string{"#1 create pods a (refused)", "#2 get pods b"}, Cut: false,
		}, ""},
		"a request in the text": {`at "Then x" (assert y): it differs; the controller goes on trying to update pods a, and that is refused each time (Invalid: no, #117 the last)`, finding{
			Step: "Then x", Operation: "assert y",
			Text: "it differs; the controller goes on trying to update pods a, and that is refused each time (Invalid: no, #117 the last)",
		}, ""},
		"a row of numbers": {"found [1 2 3 4 5 6 7 8 9 10 11 12 13] ms", finding{Text: "found [1 2 3 4 5 6 7 8 9 10 … (3 more)] ms", Cut: true}, ""},
		"objects that show nothing": {`at "Then x" (assert reconform.dev/v1alpha1/Observation @ a/b): Observation b is not as expected: never expected "new.a.map(o, o.b) != first.a.map(o, o.b)", seen: demo at resourceVersion 7 {"a":1}`, finding{
			Step: "Then x", Operation: "assert reconform.dev/v1alpha1/Observation @ a/b",
			Pairs: []about.Pair{{Expected: "that this never happens: new.a.map(o, o.b) != first.a.map(o, o.b)", Found: "the controller changed a (#5)"}},
		}, "the controller changed a (#5)"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, findingOf(&v1alpha1.Result{Reason: tc.reason, Evidence: &v1alpha1.Evidence{Happened: tc.happened}})); diff != "" {
				t.Errorf("findingOf (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDifference: what was expected stands above what was observed, in words and in lines.
func TestDifference(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"Traffic x is not as expected: expected 1 to 20 requests, found 459; expected no writes, found 2 in 8s: #1 get": "-1 to 20 requests|+459|-no writes|+2",
		"* spec.replicas: Invalid value: 7: Expected value: 2":                                                          "-spec.replicas: 2|+spec.replicas: 7",
		"apps/v1/Deployment/a/b - resource matches expectation":                                                         "-apps/v1/Deployment/a/b: no such object|+apps/v1/Deployment/a/b: it is there",
		"expected the subject to fall quiet within 40s in 40s: #1 get":                                                  "-the subject to fall quiet within 40s|+it did not",
		`never expected "new.x > 0", seen: demo at resourceVersion 7`:                                                   `-that this never happens: x > 0|+it happened: demo at resourceVersion 7`,
		"--- expected\n+++ actual\n@@ -1 +1 @@\n a: 1\n+more: 1\n b: 1\n-c: 1\n+c: 2\n":                                 " ⋮| a: 1|+more: 1 (beside)| b: 1|-c: 1|+c: 2",
	} {
		var got []string
		for _, line := range difference(text) {
			sign := line.Sign
			if sign == "" {
				sign = " "
			}
			if line.Beside {
				line.Text += " (beside)"
			}
			got = append(got, sign+line.Text)
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestLogged: log lines are made readable, and a repeated line is shown once.
func TestLogged(t *testing.T) {
	same := `{"level":"info","ts":"T%d","msg":"healthz failed","x":1}`
	got := logline.Shown([]string{
		fmt.Sprintf(same, 1), fmt.Sprintf(same, 2), `{"level":"error","ts":"T3","msg":"Reconciler error","name":"demo","error":"no"}`, "plain", "plain", "{broken",
	})
	want := []logline.Line{
		{Time: "T1", Text: "healthz failed x=1", Times: 2},
		{Time: "T3", Level: "error", Text: "Reconciler error error=no name=demo", Times: 1},
		{Text: "plain", Times: 2},
		{Text: "{broken", Times: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logged (-want +got):\n%s", diff)
	}
}

// TestThin: the requests that prove a failure stay, then writes. Of similar requests,
// the first and the last stay.
func TestThin(t *testing.T) {
	l := &look{unheld: 3, proving: map[int64]bool{50: true}}
	for n := range 100 {
		verb := history.VerbGet
		if n%10 == 0 {
			verb = history.VerbUpdate
		}
		l.requests = append(l.requests, history.Request{Seq: int64(n), Verb: verb, Code: 200})
	}
	l.requests[50].Verb = history.VerbGet
	for most, want := range map[int][]int64{
		1: {50}, 5: {0, 10, 20, 50, 90}, 14: {0, 1, 2, 3, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99},
	} {
		kept, leftOut := l.thin(most)
		var got []int64
		for _, r := range kept {
			got = append(got, r.Seq)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || leftOut != 103-most {
			t.Errorf("%d: %d left out (-want +got):\n%s", most, leftOut, diff)
		}
	}
}

// TestPartial: a partial verdict does not look like a conformant one.
func TestPartial(t *testing.T) {
	if of := stateOfRun(v1alpha1.Partial); of.Class == "passed" || of.Symbol == stateOfRun(v1alpha1.Conformant).Symbol {
		t.Errorf("a partial run is shown as %+v", of)
	}
	if of := stateOfClass(v1alpha1.ClassPartial); of.Class == "passed" {
		t.Errorf("a partial class is shown as %+v", of)
	}
}

// TestCommand: no line ends within the name of a flag, and nothing in a command is taken for
// a tag.
func TestCommand(t *testing.T) {
	want := `reconform run <span class="flag">--profile=</span>a-b.yaml <span class="flag">--run</span> &#39;&lt;b&gt;&#39;`
	if diff := cmp.Diff(want, string(command("reconform run --profile=a-b.yaml --run '<b>'"))); diff != "" {
		t.Errorf("the command (-want +got):\n%s", diff)
	}
}

// TestGapOf: each requirement that was not judged says what it is about, and is a link if it
// has an entry on the page.
func TestGapOf(t *testing.T) {
	all := []catalogue.Requirement{{ID: "RC-001", Must: "one"}, {ID: "RC-002", Must: "two"}}
	r := &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{{ID: "RC-002"}}}
	got := gapOf(report.Gap{Reason: "not selected", IDs: []string{"RC-001", "RC-002"}}, r, all)
	want := gap{Reason: "not selected", Named: []mention{{ID: "RC-001", About: "one"}, {ID: "RC-002", About: "two", Here: true}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the gap (-want +got):\n%s", diff)
	}
}
