package verdict

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestBystanders: if some bystanders are missing, the effects on bystanders are not
// judged. What bystanders prevent is not blamed on the controller.
func TestBystanders(t *testing.T) {
	started := history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted}
	none := history.Event{Scenario: inNamespace, Reason: history.NoBystanders, Message: "making the bystander Secret x: no"}
	namesake := history.Event{Scenario: inNamespace, Reason: history.NamesakeMade, Object: "poddisruptionbudgets.policy demo"}
	creation := history.Request{
		Scenario: inNamespace, Subject: subjectName, Verb: history.VerbCreate, Group: "policy", Resource: "poddisruptionbudgets", Name: "demo", Code: 409,
	}
	other := creation
	other.Name = "other"
	passed := chainsaw.Test{Finished: true, Passed: true}
	failed := chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Then", Operation: "assert", Message: "* spec: no"}}}
	for name, tc := range map[string]struct {
		judges   []string
		events   []history.Event
		requests []history.Request
		test     chainsaw.Test
		want     v1alpha1.ResultVerdict
		reason   string
	}{
		"all are there":                 {[]string{"ForeignObject"}, []history.Event{started}, []history.Request{other}, passed, v1alpha1.Passed, ""},
		"one is missing":                {[]string{"ForeignObject"}, []history.Event{started, none}, []history.Request{other}, passed, v1alpha1.ResultInconclusive, "the scenario passed, but not all bystanders could be made: making the bystander Secret x: no"},
		"one is missing, and it failed": {[]string{"ForeignObject"}, []history.Event{started, none}, []history.Request{other}, failed, v1alpha1.Failed, `at "Then" (assert): spec: no`},
		"it does not need them":         {nil, []history.Event{started, none}, []history.Request{other}, passed, v1alpha1.Passed, ""},
		"one was in the way":            {nil, []history.Event{started, namesake}, []history.Request{creation}, failed, v1alpha1.ResultInconclusive, `a bystander of the bench was in the way of #3 create poddisruptionbudgets demo; the scenario failed at "Then" (assert): spec: no`},
		"none was in the way":           {nil, []history.Event{started, namesake}, []history.Request{other}, failed, v1alpha1.Failed, `at "Then" (assert): spec: no`},
		"one was, and it passed":        {nil, []history.Event{started, namesake}, []history.Request{creation}, passed, v1alpha1.Passed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			account := history.Account{Scenario: inNamespace, Events: tc.events, Requests: tc.requests}
			for n := range account.Events {
				account.Events[n].Seq = int64(n + 1)
			}
			for n := range account.Requests {
				account.Requests[n].Seq = int64(len(tc.events) + n + 1)
			}
			got := Judge(Case{
				Requirement: catalogue.Requirement{ID: "IS-012", Judges: tc.judges}, Contract: contract(t), Test: &tc.test, Account: account, TimeoutScale: 1,
			})
			if got.Verdict != tc.want || got.Reason != tc.reason {
				t.Errorf("Judge = %s, %q, want %s, %q", got.Verdict, got.Reason, tc.want, tc.reason)
			}
		})
	}
}
