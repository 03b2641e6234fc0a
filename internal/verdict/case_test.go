package verdict

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

const inNamespace = "reconform-sh-001"

func TestReason(t *testing.T) {
	for name, tc := range map[string]struct{ message, want string }{
		"findings": {
			"--------\nv1/Pod/a/b\n--------\n* spec.x: Invalid value: 1\n* spec.y: Required\n\n--- expected\n+++ actual",
			`at "It is undone" (assert): spec.x: Invalid value: 1; spec.y: Required`,
		},
		"labels of an object that has none": {
			"* metadata.annotations.a/b: Required value: field not found in the input object\n* metadata.labels: Required value: field not found in the input object\n\n" +
				"--- expected\n+++ actual\n@@ -1,12 +1,16 @@\n apiVersion: apps/v1\n metadata:\n-  annotations:\n-    a/b: keep\n-  labels:\n-    example.com/team: blue\n-    second: \"2\"\n" +
				"+  annotations: {}\n   name: demo\n spec:\n   replicas: 3",
			`at "It is undone" (assert): metadata.annotations.a/b: Required value: field not found in the input object; ` +
				`metadata.labels.example.com/team: Required value: field not found in the input object; metadata.labels.second: Required value: field not found in the input object`,
		},
		"annotations of a template that has none": {
			"* spec.template.metadata.annotations: Required value: field not found in the input object\n\n" +
				"--- expected\n+++ actual\n@@ -1 +1 @@\n metadata:\n-  annotations:\n-    not: this\n spec:\n   template:\n     metadata:\n-      annotations:\n-        a/b: keep\n+      annotations: {}",
			`at "It is undone" (assert): spec.template.metadata.annotations.a/b: Required value: field not found in the input object`,
		},
		"labels without a difference": {
			"* metadata.labels: Required value: field not found in the input object",
			`at "It is undone" (assert): metadata.labels: Required value: field not found in the input object`,
		},
		"none":       {"\n  actual resource not found\nmore\n", `at "It is undone" (assert): actual resource not found`},
		"no message": {"", `at "It is undone" (assert): `},
		"a list in the syntax of Go": {
			`* (names): Invalid value: ["a"]: Expected value: []interface {}{"a", "b"}` + "\n" + `* (rest): Invalid value: ["a"]: Expected value: []interface {}{}`,
			`at "It is undone" (assert): (names): Invalid value: ["a"]: Expected value: ["a", "b"]; (rest): Invalid value: ["a"]: Expected value: []`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := (&Case{}).reason(chainsaw.Failure{Step: "It is undone", Operation: "assert", Message: tc.message})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reason (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReasonDescribed: if a step compares expressions, the reason has the scenario's
// words for them.
func TestReasonDescribed(t *testing.T) {
	const scenario = `
spec:
  steps:
  - name: Then each has one
    try:
    - description: Each is the owner of one.
      assert: {resource: {(length(x)): 2}}
    - description: None is shared.
      error: {resource: {(shared): true}}
    - description: They are the same.
      assert: {resource: {apiVersion: v1, kind: Service, spec: {}}}
  - name: Then two are compared
    try:
    - description: The first.
      assert: {resource: {(a): 1}}
    - description: The second.
      assert: {resource: {(b): 1}}
`
	for name, tc := range map[string]struct {
		failure chainsaw.Failure
		want    string
	}{
		"an assert":         {chainsaw.Failure{Step: "Then each has one", Operation: "assert", Object: "/ @ *"}, "; what must hold: Each is the owner of one."},
		"an error":          {chainsaw.Failure{Step: "Then each has one", Operation: "error", Object: "/ @ *"}, "; what must hold: None is shared."},
		"of an object":      {chainsaw.Failure{Step: "Then each has one", Operation: "assert", Object: "v1/Service @ x/demo"}, ""},
		"one of two":        {chainsaw.Failure{Step: "Then two are compared", Operation: "assert", Object: "/ @ *"}, ""},
		"the second of two": {chainsaw.Failure{Step: "Then two are compared", Operation: "assert", Object: "/ @ *", Message: "* (b): Invalid value: 1"}, "; what must hold: The second."},
		"a step of others":  {chainsaw.Failure{Step: "Then it is quiet", Operation: "assert", Object: "/ @ *"}, ""},
		"another operation": {chainsaw.Failure{Step: "Then two are compared", Operation: "error", Object: "/ @ *"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Requirement: catalogue.Requirement{Raw: []byte(scenario)}}
			if tc.failure.Message == "" {
				tc.failure.Message = "* (x): Invalid value: 1"
			}
			want := "at \"" + tc.failure.Step + "\" (" + tc.failure.Operation + " " + tc.failure.Object + "): " + tc.failure.Message[2:] + tc.want
			if diff := cmp.Diff(want, c.reason(tc.failure)); diff != "" {
				t.Errorf("reason (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReasonDescribedByATemplate: the words for a comparison may be in a step template.
func TestReasonDescribedByATemplate(t *testing.T) {
	const use = "spec:\n  steps:\n  - name: Then they are apart\n    use: {template: ../../templates/%s.yaml}\n"
	templates := fstest.MapFS{"templates/apart.yaml": {Data: []byte("spec:\n  try:\n  - description: None selects the other's.\n    assert: {resource: {(a): false}}\n")}}
	for template, want := range map[string]string{
		"apart": `at "Then they are apart" (assert / @ *): (a): Invalid value: true; what must hold: None selects the other's.`,
		"none":  `at "Then they are apart" (assert / @ *): (a): Invalid value: true`,
	} {
		c := Case{Requirement: catalogue.Requirement{Raw: fmt.Appendf(nil, use, template), Source: templates, Path: "isolation/apart/chainsaw-test.yaml"}}
		failure := chainsaw.Failure{Step: "Then they are apart", Operation: "assert", Object: noObject, Message: "* (a): Invalid value: true"}
		if got := c.reason(failure); got != want {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

// TestReasonOfWhatIsRefused: if the API server refuses a write again and again, the
// reason names it.
func TestReasonOfWhatIsRefused(t *testing.T) {
	refused := history.Request{
		Subject: subjectName, Scenario: inNamespace, Verb: "update", Resource: "services", Name: "demo", Code: 422, Reason: "Invalid",
		Message: "Service \"demo\" is invalid:\n  spec.ports[1].name: Duplicate value: \"http\"", Effect: history.EffectRefused,
	}
	failed := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Then it follows", Operation: "assert", Message: "* spec.x: Invalid value: 1"}}}
	for name, tc := range map[string]struct {
		times  int
		failed time.Duration // after the first attempt; there is one each second
		want   string
	}{
		"each time": {3, 4 * time.Second, `at "Then it follows" (assert): spec.x: Invalid value: 1; the controller goes on trying to update services demo, ` +
			`and that is refused each time (Invalid: spec.ports[1].name: Duplicate value: "http", #3 the last)`},
		"long ago": {3, 5 * time.Minute, `at "Then it follows" (assert): spec.x: Invalid value: 1; the controller tried 3 times to update services demo, ` +
			`and that was refused each time (Invalid: spec.ports[1].name: Duplicate value: "http", #3 the last, 4m58s before the step failed)`},
		"twice": {2, time.Minute, `at "Then it follows" (assert): spec.x: Invalid value: 1`},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Contract: contract(t), Test: failed, TimeoutScale: 1, Account: history.Account{Scenario: inNamespace}}
			for n := range tc.times {
				refused.Seq, refused.Time = int64(n+1), time.Unix(int64(100+n), 0)
				c.Account.Requests = append(c.Account.Requests, refused)
			}
			c.Account.Events = []history.Event{{Seq: 9, Reason: history.StepFailed, Time: time.Unix(100, 0).Add(tc.failed)}}
			if got := Judge(c); got.Reason != tc.want || got.Verdict != v1alpha1.Failed {
				t.Errorf("Judge = %s, %q, want %q", got.Verdict, got.Reason, tc.want)
			}
		})
	}
}

// TestWithoutValues: of a refusal, an invalid value that is a list or an object is left out.
func TestWithoutValues(t *testing.T) {
	for text, want := range map[string]string{
		`x: Invalid value: [{"a":"]"}]: Only one`:                 `x: Invalid value: …: Only one`,
		`x: Invalid value: {"a":{}}: no; y: Invalid value: 7: no`: `x: Invalid value: …: no; y: Invalid value: 7: no`,
		`x: Invalid value: "a: b": no`:                            `x: Invalid value: "a: b": no`,
		`x: Invalid value: [{"a":… (9 characters left out) …`:     `x: Invalid value: [{"a":… (9 characters left out) …`,
		`x: Required value`:                                       `x: Required value`,
		`Invalid value: `:                                         `Invalid value: `,
	} {
		if got := withoutValues(text); got != want {
			t.Errorf("withoutValues(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestValuesAt: what changed in the same way in all entries of a list is told once.
func TestValuesAt(t *testing.T) {
	change := func(path, was, is string) history.Change { return history.Change{Path: path, Was: was, Is: is} }
	for name, tc := range map[string]struct {
		values []history.Change
		path   string
		want   string
	}{
		"one":        {[]history.Change{change("spec.replicas", "5", "2")}, "spec.replicas", ": spec.replicas from 5 to 2"},
		"another":    {[]history.Change{change("spec.replicas", "5", "2")}, "spec.paused", ""},
		"two alike":  {[]history.Change{change("status.c[0].m", "a", "b"), change("status.c[1].m", "a", "b")}, "status.c.m", ": status.c[0].m from a to b, and so in 2 entries of the list"},
		"two unlike": {[]history.Change{change("status.c[0].m", "a", "b"), change("status.c[1].m", "a", "c")}, "status.c.m", ": status.c[0].m from a to b, status.c[1].m from a to c"},
		"five alike": {
			[]history.Change{change("s.c[0].m", "a", "b"), change("s.c[1].m", "a", "b"), change("s.c[2].m", "a", "b"), change("s.c[3].m", "a", "b"), change("s.c[4].m", "a", "b")},
			"s.c.m", ": s.c[0].m from a to b, and so in 5 entries of the list",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := valuesAt(&history.Request{Values: tc.values}, tc.path); got != tc.want {
				t.Errorf("valuesAt = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestAsItWas: writes that changed nothing are told as that, unless the controller also
// changed the object.
func TestAsItWas(t *testing.T) {
	write := func(seq int64, verb string, effect history.Effect) history.Request {
		return history.Request{Seq: seq, Verb: verb, Effect: effect}
	}
	made := write(2, history.VerbCreate, history.EffectEffective)
	same := write(3, history.VerbUpdate, history.EffectNoop)
	for name, tc := range map[string]struct {
		writes []history.Request
		want   int64
	}{
		"made, and written as it was": {[]history.Request{made, same}, 3},
		"only made":                   {[]history.Request{made}, 0},
		"changed, too":                {[]history.Request{made, same, write(4, history.VerbUpdate, history.EffectEffective)}, 0},
		"deleted, too":                {[]history.Request{made, same, write(4, history.VerbDelete, history.EffectEffective)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var got int64
			if last := (&Case{}).asItWas(tc.writes); last != nil {
				got = last.Seq
			}
			if got != tc.want {
				t.Errorf("asItWas = #%d, want #%d", got, tc.want)
			}
		})
	}
}

// TestOwnCreationNotSeenYet: a controller creates a child, and tries to create it again until
// its cache has it. That is no write that is refused for ever, and no reason of what fails later.
func TestOwnCreationNotSeenYet(t *testing.T) {
	failed := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Then it follows", Operation: "assert", Message: "* spec.x: Invalid value: 1"}}}
	create := func(code int, reason, fault string) history.Request {
		r := history.Request{
			Subject: subjectName, Scenario: inNamespace, Verb: "create", Resource: "services", Name: "demo", Code: code, Reason: reason,
			Effect: history.EffectEffective, Fault: fault,
		}
		if code >= 400 {
			r.Effect = history.EffectRefused
		}
		return r
	}
	again := create(409, "AlreadyExists", "")
	of := func(verb string) history.Request {
		r := create(200, "", "")
		r.Verb = verb
		return r
	}
	const gaveUp = "the controller tried 3 times to create services demo"
	for name, tc := range map[string]struct {
		before []history.Request
		failed time.Duration // after the first request; there is one each second
		want   string        // in the reason; nothing of it, if empty
	}{
		"its own, and then seen":          {[]history.Request{create(201, "", "")}, time.Minute, ""},
		"its own, and never seen":         {[]history.Request{create(201, "", "")}, 5 * time.Second, "the controller goes on trying to create services demo"},
		"its own, with an answer lost":    {[]history.Request{create(201, "", "lost")}, time.Minute, gaveUp},
		"its own, deleted by it":          {[]history.Request{create(201, "", ""), of("delete")}, time.Minute, gaveUp},
		"its own, made again by it":       {[]history.Request{create(201, "", ""), of("delete"), create(201, "", "")}, time.Minute, ""},
		"somebody else's, and it gave up": {nil, time.Minute, gaveUp},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Contract: contract(t), Test: failed, TimeoutScale: 1, Account: history.Account{Scenario: inNamespace}}
			for n, r := range append(tc.before, again, again, again) {
				r.Seq, r.Time = int64(n+1), time.Unix(int64(100+n), 0)
				c.Account.Requests = append(c.Account.Requests, r)
			}
			c.Account.Events = []history.Event{{Seq: 9, Reason: history.StepFailed, Time: time.Unix(100, 0).Add(tc.failed)}}
			got := Judge(c).Reason
			if told := strings.Contains(got, "services demo"); told != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("the reason is %q, and must have %q of the Service", got, tc.want)
			}
		})
	}
}

func TestUnanswered(t *testing.T) {
	for message, want := range map[string]bool{
		`Get "https://127.0.0.1:34709/apis/apps/v1/namespaces/x/deployments/demo": context deadline exceeded`:  true,
		"client rate limiter Wait returned an error: context deadline exceeded":                                true,
		"unexpected error when reading response body. Please retry. Original error: context deadline exceeded": true,
		"* status.message: Invalid value: \"Get \\\"https://\\\"\"":                                            false,
		"actual resource not found": false,
	} {
		if got := unanswered(chainsaw.Failure{Message: message}); got != want {
			t.Errorf("unanswered(%s) = %t, want %t", message, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	began := time.Unix(100, 0)
	passed := &chainsaw.Test{Finished: true, Passed: true, Started: began, Ended: began.Add(2 * time.Second)}
	over := *passed
	over.Judged = began.Add(time.Second) // long before the requests
	failed := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{
		{Step: "It is undone", Operation: "assert", Message: "* spec: no"}, {Step: "later", Operation: "assert", Message: "* else"},
	}}
	refused := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{
		{Step: "Count", Operation: "create", Message: `configmaps "x" is forbidden: exceeded quota`, Refused: true},
	}}
	outOfRange := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
		Step: "Then few are counted", Operation: "create", Object: "reconform.dev/v1alpha1/Traffic @ x/reads",
		Message: `Traffic.reconform.dev "reads" is invalid: spec.windowMs`, Refused: true,
	}}}
	misfit := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
		Step: "Given many", Operation: "create", Message: `WebApp.apps.kubedojo.io "demo" is invalid: spec.replicas: Invalid value: 7`, Refused: true,
	}}}
	patched := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
		Step: "When it is scaled", Operation: "command", Message: `The WebApp "demo" is invalid: spec.replicas: Invalid value: 7`,
	}}}
	awaited := func(step string) *chainsaw.Test {
		return &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
			Step: step, Operation: "assert", Message: "Observation tries is not as expected",
			Of: chainsaw.Measured{Kind: "Observation", Resource: "faults.reconform.dev", Name: "lost"},
		}}}
	}
	started := history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted}
	crashed := history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed, Message: "exited with status 1"}
	armed := history.Event{Scenario: inNamespace, Object: "Fault/lost", Reason: history.FaultArmed}
	done := history.Event{Scenario: inNamespace, Object: "Fault/lost", Reason: history.FaultDone}
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
		"passed":              {[]history.Event{started}, []int{200}, passed, nil, v1alpha1.Passed, ""},
		"failed":              {[]history.Event{started}, []int{200}, failed, nil, v1alpha1.Failed, `at "It is undone" (assert): spec: no`},
		"failed with a crash": {[]history.Event{started, crashed}, []int{200}, failed, nil, v1alpha1.Failed, `Crashed: subject-0 ended by itself: exited with status 1 (#2); the scenario failed at "It is undone" (assert): spec: no`},
		"silent":              {[]history.Event{started}, nil, passed, nil, v1alpha1.ResultInconclusive, "the scenario passed, but no request of the subject was ever seen"},
		"without a subject":   {nil, nil, passed, nil, v1alpha1.Passed, ""},
		"server errors": {
			[]history.Event{started},
			[]int{200, 503},
			failed, nil, v1alpha1.ResultInconclusive,
			"the API server answered with errors that nobody ordered: #3 503 on list /apis/apps/v1/deployments",
		},
		"server errors after the last step": {[]history.Event{started}, []int{200, 503}, &over, nil, v1alpha1.Passed, ""},
		"a crash": {
			[]history.Event{started, crashed},
			[]int{200},
			passed, nil, v1alpha1.Failed, "Crashed: subject-0 ended by itself: exited with status 1 (#2)",
		},
		"killed by another": {
			[]history.Event{started, {Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaLost, Message: "ended by SIGKILL"}},
			[]int{200},
			failed, nil, v1alpha1.ResultInconclusive,
			"subject-0 was killed, and not by the bench (does the machine lack memory?): ended by SIGKILL",
		},
		"over a limit": {
			[]history.Event{started, {Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaOverLimit, Message: "ended by SIGKILL: it had 1001 processes"}},
			[]int{200},
			passed, nil, v1alpha1.ResultInconclusive,
			"subject-0 went over a limit: ended by SIGKILL: it had 1001 processes",
		},
		"refused": {
			[]history.Event{started},
			[]int{200},
			refused, nil, v1alpha1.ResultInconclusive,
			`the API server refused what the scenario asked for: at "Count" (create): configmaps "x" is forbidden: exceeded quota`,
		},
		"refused, an object of the bench": {
			[]history.Event{started},
			[]int{200},
			outOfRange, nil, v1alpha1.ResultInconclusive,
			`bench error: an object of the bench was refused: at "Then few are counted" ` +
				`(create reconform.dev/v1alpha1/Traffic @ x/reads): Traffic.reconform.dev "reads" is invalid: spec.windowMs`,
		},
		"a schema that is narrower": {
			[]history.Event{started},
			[]int{200},
			misfit, nil, v1alpha1.ResultInconclusive,
			`the profile does not fit: at "Given many" (create): WebApp.apps.kubedojo.io "demo" is invalid: spec.replicas: Invalid value: 7`,
		},
		"a schema that is narrower for kubectl": {
			[]history.Event{started},
			[]int{200},
			patched, nil, v1alpha1.ResultInconclusive,
			`the profile does not fit: at "When it is scaled" (command): The WebApp "demo" is invalid: spec.replicas: Invalid value: 7`,
		},
		"a fault that fired": {[]history.Event{started, armed, fired, done}, []int{200}, passed, nil, v1alpha1.Passed, ""},
		"one that did not":   {[]history.Event{started, armed}, []int{200}, passed, nil, v1alpha1.ResultInconclusive, "Fault/lost never fired"},
		"one that a judging step waited for": {
			[]history.Event{started, armed},
			[]int{200},
			awaited("Then it tries"), nil, v1alpha1.Failed,
			`at "Then it tries" (assert): Observation tries is not as expected`,
		},
		"one that a preparing step waited for": {
			[]history.Event{started, armed}, []int{200}, awaited("When it tries"), nil, v1alpha1.ResultInconclusive, "Fault/lost never fired",
		},
		"one beside what a judging step waited for": {
			[]history.Event{started, {Scenario: inNamespace, Reason: history.FaultArmed, Object: "Fault/other"}, armed},
			[]int{200},
			awaited("Then it tries"), nil, v1alpha1.ResultInconclusive,
			`Fault/other never fired; the scenario failed at "Then it tries" (assert): Observation tries is not as expected`,
		},
		"never ran":       {nil, nil, nil, nil, v1alpha1.ResultInconclusive, "the scenario never ran"},
		"the bench broke": {nil, nil, passed, errors.New("etcd died"), v1alpha1.ResultInconclusive, "etcd died"},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			for _, event := range tc.events {
				recorder.Event(event)
			}
			for _, code := range tc.requests {
				recorder.Begin(request).Finish(func(r *history.Request) { r.Code = code })
			}
			got := Judge(Case{
				Requirement: catalogue.Requirement{ID: "SH-001"}, Contract: contract(t),
				Test: tc.test, Broken: tc.broken, Account: recorder.Account(inNamespace), TimeoutScale: 1,
			})
			if got.Verdict != tc.want || got.Reason != tc.reason {
				t.Errorf("Judge = %s, %q, want %s, %q", got.Verdict, got.Reason, tc.want, tc.reason)
			}
		})
	}
}

// A failed step lags if it waits only for what the cluster writes. It does not lag if
// it also waits for what the controller writes, or if the controller broke an
// invariant.
func TestLagging(t *testing.T) {
	for name, tc := range map[string]struct {
		step, message string
		violated      bool
		want          bool
	}{
		"readiness, in a step that prepares": {"When it is ready", "* status.readyReplicas: Required value: field not found", false, true},
		"readiness, in a step that judges":   {"Then it is ready", "* status.readyReplicas: Invalid value: 1: Expected value: 2", false, true},
		"the spec, too":                      {"Then it is ready", "* spec.replicas: Invalid value: 1\n* status.readyReplicas: Invalid value: 1", false, false},
		"an invariant is broken":             {"Then it is ready", "* status.readyReplicas: Invalid value: 1", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
			if tc.violated {
				recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed, Message: "exited with status 1"})
			}
			began := time.Unix(100, 0)
			c := Case{
				Contract: contract(t), TimeoutScale: 1, Ended: began.Add(time.Minute), Account: recorder.Account(inNamespace),
				Test: &chainsaw.Test{Finished: true, Started: began, Failures: []chainsaw.Failure{{
					Step: tc.step, Operation: "assert", Object: "apps/v1/Deployment @ ns/demo", Message: tc.message,
				}}},
			}
			if f := Judge(c); f.Lagging != tc.want {
				t.Errorf("lagging is %v, want %v: %+v", f.Lagging, tc.want, f)
			}
		})
	}
}

// TestLateErrors: an error of the API server after the last step excuses only what the
// error may have caused.
func TestLateErrors(t *testing.T) {
	crash := history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed, Message: "exited with status 1"}
	taken := func(r *history.Request) {
		r.Code, r.Verb, r.Group, r.Resource, r.Name, r.UID = 200, history.VerbDelete, "apps", "deployments", "theirs", "u"
		r.Effect, r.Owners = history.EffectEffective, []history.Owner{{Kind: "ConfigMap", Controller: true}}
	}
	failed := func(r *history.Request) { r.Code = 503 }
	for name, tc := range map[string]struct {
		judged   time.Duration // when the last step was over; the requests are at 0 and later
		happened []any
		want     v1alpha1.ResultVerdict
		itself   v1alpha1.ResultVerdict
	}{
		"a crash after an error":              {-time.Hour, []any{failed, crash}, v1alpha1.ResultInconclusive, v1alpha1.Passed},
		"a crash before it":                   {-time.Hour, []any{crash, failed}, v1alpha1.Failed, v1alpha1.Passed},
		"a foreign object, and then an error": {-time.Hour, []any{taken, failed}, v1alpha1.Failed, v1alpha1.Passed},
		"an error, and then a foreign object": {-time.Hour, []any{failed, taken}, v1alpha1.Failed, v1alpha1.Passed},
		"an error between the steps":          {time.Hour, []any{failed, taken}, v1alpha1.Failed, v1alpha1.ResultInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
			for _, one := range tc.happened {
				switch one := one.(type) {
				case history.Event:
					recorder.Event(one)
				case func(*history.Request):
					recorder.Begin(history.Request{Scenario: inNamespace, Subject: subjectName, Replica: "subject-0", Verb: "list", Path: "/x"}).Finish(one)
				}
			}
			test := &chainsaw.Test{Finished: true, Passed: true, Judged: time.Now().Add(tc.judged)}
			got := Judge(Case{Contract: contract(t), Test: test, Account: recorder.Account(inNamespace), TimeoutScale: 1})
			if got.Verdict != tc.want || got.Without == nil || got.Without.Verdict != tc.itself {
				t.Errorf("Judge = %s, %q, without %v, want %s, without %s", got.Verdict, got.Reason, got.Without, tc.want, tc.itself)
			}
		})
	}
}

// TestCacheFilledAnew: in a scenario that changes a CRD, the API server may tell
// watches to wait.
func TestCacheFilledAnew(t *testing.T) {
	for serial, want := range map[bool]v1alpha1.ResultVerdict{true: v1alpha1.Passed, false: v1alpha1.ResultInconclusive} {
		recorder := history.New(nil, nil)
		recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
		request := history.Request{Scenario: inNamespace, Subject: subjectName, Verb: "watch", Path: "/apis/x"}
		recorder.Begin(request).Finish(func(r *history.Request) {
			r.Code, r.Message = http.StatusTooManyRequests, "storage is (re)initializing"
		})
		got := Judge(Case{
			Requirement: catalogue.Requirement{ID: "CS-012", Serial: serial}, Contract: contract(t),
			Test: &chainsaw.Test{Finished: true, Passed: true}, Account: recorder.Account(inNamespace), TimeoutScale: 1,
		})
		if got.Verdict != want {
			t.Errorf("serial %t: %s, %q, want %s", serial, got.Verdict, got.Reason, want)
		}
	}
}

// TestBarred: if the bench refuses a request that the controller had the right to send,
// that is not the controller's failure.
func TestBarred(t *testing.T) {
	const (
		want = "it was refused what it may need: #2 create "
		not  = ": " + history.NoteClusterScoped
		none = not + "; a subject has the namespaces of its scenario, and no field gives it others; " +
			"if a flag or a variable of the controller says this one, write {{ .namespace }} there, in launch.command or launch.env"
		also = `; the scenario failed at "Then" (assert): spec: no; the subject ended by itself: subject-0: exited with status 1`
		flag = "; if it needs that, write install: {clusterWrites: [bindings.x.example.com]}, and launch: {serial: true} (reconform init: --cluster-writes bindings.x.example.com)"
	)
	failed := chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Then", Operation: "assert", Message: "* spec: no"}}}
	for name, tc := range map[string]struct {
		resource string
		test     chainsaw.Test
		want     v1alpha1.ResultVerdict
		reason   string
	}{
		"passed":                {"bindings", chainsaw.Test{Finished: true, Passed: true}, v1alpha1.Passed, ""},
		"failed":                {"bindings", failed, v1alpha1.ResultInconclusive, want + "bindings it" + not + flag + also},
		"no resource":           {"", failed, v1alpha1.ResultInconclusive, want + "/apis/x" + not + also},
		"what nobody may write": {"namespaces", failed, v1alpha1.ResultInconclusive, want + "namespaces it" + none + also},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
			request := history.Request{Scenario: inNamespace, Subject: subjectName, Replica: "subject-0", Verb: "create", Path: "/apis/x", Resource: tc.resource}
			if tc.resource != "" {
				request.Name = "it"
			}
			if tc.resource != "namespaces" {
				request.Group = "x.example.com"
			}
			recorder.Begin(request).Finish(func(r *history.Request) { r.Code, r.Note = 403, history.NoteClusterScoped })
			recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed, Message: "exited with status 1"})
			got := Judge(Case{Contract: contract(t), Test: &tc.test, Account: recorder.Account(inNamespace), TimeoutScale: 1})
			if got.Verdict != tc.want || got.Reason != tc.reason {
				t.Errorf("Judge = %s, %q, want %s, %q", got.Verdict, got.Reason, tc.want, tc.reason)
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
		"did not fire":          {[]history.Event{event("FaultArmed", "Fault/b"), event("FaultArmed", "Fault/a")}, []string{"Fault/b never fired", "Fault/a never fired"}},
		"need not":              {[]history.Event{optional}, nil},
		"another of its name":   {[]history.Event{event("FaultArmed", "Fault/a"), event("FaultArmed", "Fault/a"), event("FaultFired", "Fault/a")}, []string{"Fault/a never fired"}},
		"nonsense":              {[]history.Event{{Reason: "FaultInvalid", Object: "Fault/a", Message: "no such replica"}}, []string{"Fault/a could not be carried out: no such replica"}},
		"a disruption that did": {[]history.Event{{Reason: "DisruptionFailed", Object: "Disruption/a", Message: "it is gone"}}, []string{"Disruption/a could not be carried out: it is gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, firings(tc.events).unfired()); diff != "" {
				t.Errorf("unfired (-want +got):\n%s", diff)
			}
		})
	}
}

// What a Fault waits for is known only if it was carried out.
func TestUnmet(t *testing.T) {
	armed := func(object string, optional bool, verbs ...string) history.Event {
		return history.Event{Reason: history.FaultArmed, Object: object, Optional: optional, Verbs: verbs, Resources: []string{"services"}}
	}
	got := firings([]history.Event{
		armed("Fault/fires", false, "create"), armed("Fault/waits", false, "delete"), armed("Fault/may", true, "get"),
		{Reason: history.FaultFired, Object: "Fault/fires"},
		{Reason: history.FaultInvalid, Object: "Fault/wrong", Message: "no such replica"},
	}).unmet()
	if diff := cmp.Diff([]v1alpha1.RequestMatch{{Verbs: []string{"delete"}, Resources: []string{"services"}}}, got); diff != "" {
		t.Errorf("unmet (-want +got):\n%s", diff)
	}
}

// TestPolled: a controller that polls opens no watch that a Fault could hit. A scenario that
// needs one judges nothing, and is not inconclusive.
func TestPolled(t *testing.T) {
	armed := func(object string, verbs ...string) history.Event {
		return history.Event{Reason: history.FaultArmed, Object: object, Verbs: verbs, Resources: []string{"shops.example.com", "deployments.apps"}}
	}
	ask := func(verb, group, resource string) history.Request {
		return history.Request{Scenario: inNamespace, Subject: subjectName, Replica: "subject-0", Verb: verb, Group: group, Resource: resource}
	}
	list, get := ask("list", "example.com", "shops"), ask("get", "apps", "deployments")
	const polls = "the controller polls: it reads shops.example.com again and again, and opens no watch of them, which the scenario is about"
	frozen := armed("Fault/frozen", "watch")
	for name, tc := range map[string]struct {
		events   []history.Event
		requests []history.Request
		want     string // the reason why it is not exercised; empty if it is inconclusive
	}{
		"it lists":             {[]history.Event{frozen}, []history.Request{list, list, list}, polls},
		"it lists and reads":   {[]history.Event{frozen}, []history.Request{list, list, list, get, get, get}, strings.Replace(polls, "shops", "deployments.apps and shops", 1)},
		"it listed once":       {[]history.Event{frozen}, []history.Request{list}, ""},
		"it watches":           {[]history.Event{frozen}, []history.Request{list, list, list, ask("watch", "example.com", "shops")}, ""},
		"it watches others":    {[]history.Event{frozen}, []history.Request{list, list, list, ask("watch", "", "services")}, polls},
		"it reads only others": {[]history.Event{frozen}, []history.Request{ask("list", "", "pods"), ask("list", "", "pods"), ask("list", "", "pods")}, ""},
		"a Fault on a write":   {[]history.Event{frozen, armed("Fault/held", "update")}, []history.Request{list, list, list}, ""},
		"a Disruption failed":  {[]history.Event{frozen, {Reason: history.DisruptionFailed, Object: "Disruption/a", Message: "it is gone"}}, []history.Request{list, list, list}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
			for _, event := range tc.events {
				event.Scenario = inNamespace
				recorder.Event(event)
			}
			for _, request := range tc.requests {
				recorder.Begin(request).Finish(func(r *history.Request) { r.Code = 200 })
			}
			test := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "When its watches stall", Operation: "assert", Message: "* status.verdict: Pending"}}}
			got := Judge(Case{Contract: contract(t), Test: test, Account: recorder.Account(inNamespace), TimeoutScale: 1})
			if tc.want == "" && got.Verdict != v1alpha1.ResultInconclusive || tc.want != "" && (got.Verdict != v1alpha1.NotExercised || got.Reason != tc.want) {
				t.Errorf("Judge = %s, %q, want NotExercised with %q, or Inconclusive if it is empty", got.Verdict, got.Reason, tc.want)
			}
		})
	}
}

func TestExercised(t *testing.T) {
	armed := func(object string, optional bool) history.Event {
		return history.Event{Reason: history.FaultArmed, Object: object, Optional: optional, Message: "has to fire 3 times"}
	}
	fired := history.Event{Reason: history.FaultFired, Object: "Fault/a"}
	done := history.Event{Reason: history.FaultDone, Object: "Fault/a"}
	type told struct {
		Exercised    string
		Idle         []string
		Unfinished   []string
		OnlyOptional bool
	}
	for name, tc := range map[string]struct {
		events []history.Event
		want   told
	}{
		"no Faults":          {nil, told{}},
		"one of two":         {[]history.Event{armed("Fault/a", false), armed("Fault/b", true), fired, done}, told{Exercised: "1 of 2", Idle: []string{"Fault/b"}}},
		"too seldom":         {[]history.Event{armed("Fault/a", false), fired}, told{Exercised: "1 of 1", Unfinished: []string{"Fault/a fired, but has to fire 3 times"}}},
		"optional, seldom":   {[]history.Event{armed("Fault/a", true), fired}, told{Exercised: "1 of 1"}},
		"nothing had to":     {[]history.Event{armed("Fault/a", true)}, told{Exercised: "0 of 1", Idle: []string{"Fault/a"}, OnlyOptional: true}},
		"a second by a name": {[]history.Event{armed("Fault/a", false), fired, done, armed("Fault/a", true)}, told{Exercised: "1 of 2", Idle: []string{"Fault/a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			list := firings(tc.events)
			got := told{Unfinished: list.unfinished(), OnlyOptional: list.onlyOptional()}
			got.Exercised, got.Idle = list.exercised()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("exercised (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOwed: if the failed step waited for a Fault that did not fire, that is the failure,
// unless the Fault is optional.
func TestOwed(t *testing.T) {
	type told struct {
		Unfired, Idle []string
		Unmet         int
	}
	for name, tc := range map[string]struct {
		of    chainsaw.Measured
		event history.Event
		want  told
	}{
		"of this Fault":                {chainsaw.Measured{Resource: "faults.reconform.dev", Name: "a"}, history.Event{Reason: history.FaultArmed, Object: "Fault/a"}, told{}},
		"of another":                   {chainsaw.Measured{Resource: "faults.reconform.dev", Name: "b"}, history.Event{Reason: history.FaultArmed, Object: "Fault/a"}, told{Unfired: []string{"Fault/a never fired"}, Unmet: 1}},
		"of an object of its name":     {chainsaw.Measured{Resource: "services", Name: "a"}, history.Event{Reason: history.FaultArmed, Object: "Fault/a"}, told{Unfired: []string{"Fault/a never fired"}, Unmet: 1}},
		"of one that is invalid":       {chainsaw.Measured{Resource: "faults.reconform.dev", Name: "a"}, history.Event{Reason: history.FaultInvalid, Object: "Fault/a", Message: "no such replica"}, told{Unfired: []string{"Fault/a could not be carried out: no such replica"}}},
		"of one that does not have to": {chainsaw.Measured{Resource: "faults.reconform.dev", Name: "a"}, history.Event{Reason: history.FaultArmed, Object: "Fault/a", Optional: true}, told{Idle: []string{"Fault/a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			list := firings([]history.Event{tc.event})
			list.noteOwed(tc.of)
			got := told{Unfired: list.unfired(), Unmet: len(list.unmet())}
			_, got.Idle = list.exercised()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("owed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExempted: the profile exempts from the invariant that the requirement judges.
func TestExempted(t *testing.T) {
	recorder := history.New(nil, nil)
	recorder.Event(history.Event{Scenario: inNamespace, Subject: subjectName, Reason: history.SubjectStarted})
	for range 2 {
		recorder.Begin(history.Request{
			Scenario: inNamespace, Subject: subjectName, Replica: "subject-0", Verb: history.VerbCreate, Group: "apps", Resource: "deployments", Name: "demo",
		}).Finish(func(r *history.Request) {
			r.Code, r.Message = 403, `User "x" cannot create resource "deployments" in API group "apps"`
		})
	}
	c := Case{
		Requirement: catalogue.Requirement{ID: "RB-001", Judges: []string{"Forbidden"}}, Contract: contract(t),
		Test: &chainsaw.Test{Finished: true, Passed: true}, Account: recorder.Account(inNamespace), TimeoutScale: 1,
	}
	if got := Judge(c); got.Verdict != v1alpha1.Failed {
		t.Errorf("without an exemption: %s %s", got.Verdict, got.Reason)
	}
	c.Contract.Exempt = []v1alpha1.Exemption{{Resources: []string{"deployments.apps"}}}
	if got := Judge(c); got.Verdict != v1alpha1.Skipped {
		t.Errorf("with an exemption: %s %s", got.Verdict, got.Reason)
	}
	c.Contract.Exempt[0].Invariants = []string{"Forbidden"}
	c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Then", Operation: "assert", Message: "* spec: no"}}}
	if got := Judge(c); got.Verdict != v1alpha1.Skipped {
		t.Errorf("exempt from the invariant that it is the home of, with a step that shows it: %s %s", got.Verdict, got.Reason)
	}
	c.Test = &chainsaw.Test{Finished: true, Passed: true}
	c.Requirement.Judges = nil
	if got := Judge(c); got.Verdict != v1alpha1.Passed {
		t.Errorf("with an exemption, of another rule: %s %s", got.Verdict, got.Reason)
	}
}

// TestProvoked: the scenario itself provokes what would be a violation otherwise.
func TestProvoked(t *testing.T) {
	recorder := history.New(nil, nil)
	recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: history.ReplicaCrashed})
	c := Case{Contract: contract(t), Account: recorder.Account(inNamespace)}
	if got := c.violations(); len(got) != 1 {
		t.Errorf("violations: %v", got)
	}
	c.Requirement.Provokes = []string{"Forbidden", "Crashed"}
	if got := c.violations(); len(got) != 0 {
		t.Errorf("violations that the scenario provokes: %v", got)
	}
}

// accountOf returns an account of requests and events that happened in this order.
func accountOf(scenario string, happened []any) history.Account {
	account := history.Account{Scenario: scenario}
	for n, one := range happened {
		switch one := one.(type) {
		case history.Request:
			one.Seq = int64(n + 1)
			account.Requests = append(account.Requests, one)
		case history.Event:
			one.Seq = int64(n + 1)
			account.Events = append(account.Events, one)
		}
	}
	return account
}

func contract(t *testing.T) invariant.Contract {
	t.Helper()
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	return invariant.ContractOf(p)
}

// TestUnserved: a request that the bench cannot serve makes a failed scenario
// inconclusive, if it came before the failure. A passed scenario stays passed.
func TestUnserved(t *testing.T) {
	passed := &chainsaw.Test{Finished: true, Passed: true}
	failed := func(step string) *chainsaw.Test {
		return &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: step, Operation: "assert", Message: "* spec: no", Proved: true}}}
	}
	for name, tc := range map[string]struct {
		resource, subresource string
		late                  bool // after the step failed
		code                  int
		test                  *chainsaw.Test
		want                  v1alpha1.ResultVerdict
		reason                string
	}{
		"a command, and passed": {"pods", "exec", false, 501, passed, v1alpha1.Passed, ""},
		"a command, and failed": {
			"pods", "exec", false, 501, failed("Then it is"), v1alpha1.ResultInconclusive,
			`the bench could not serve what the controller may need: #1 create pods/exec demo: 501 (none), and 1 more; the scenario failed at "Then it is" (assert): spec: no`,
		},
		"a port, and not carried out": {
			"pods", "portforward", false, 501, failed("Given one"), v1alpha1.ResultInconclusive,
			`the bench could not serve what the controller may need: #1 create pods/portforward demo: 501 (none), and 1 more; the scenario failed at "Given one" (assert): spec: no`,
		},
		"its lines, which are not there":     {"pods", "log", false, 404, failed("Then it is"), v1alpha1.Failed, `at "Then it is" (assert): spec: no`},
		"a command, after it failed":         {"pods", "exec", true, 501, failed("Then it is"), v1alpha1.Failed, `at "Then it is" (assert): spec: no`},
		"something else that is not served":  {"pods", "eviction", false, 501, passed, v1alpha1.ResultInconclusive, "the API server answered with errors that nobody ordered: #1 501 on create /pods/eviction; #2 501 on create /pods/eviction"},
		"something of the same name, no Pod": {"machines", "exec", false, 501, passed, v1alpha1.ResultInconclusive, "the API server answered with errors that nobody ordered: #1 501 on create /machines/exec; #2 501 on create /machines/exec"},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			if tc.late {
				recorder.Event(history.Event{Scenario: inNamespace, Reason: history.StepFailed, Message: "Then it is"})
			}
			for range 2 {
				recorder.Begin(history.Request{
					Scenario: inNamespace, Subject: subjectName, Verb: "create", Method: http.MethodPost, Resource: tc.resource, Subresource: tc.subresource, Name: "demo",
					Path: "/" + tc.resource + "/" + tc.subresource,
				}).Finish(func(r *history.Request) { r.Code, r.Message = tc.code, "none" })
			}
			found := Judge(Case{Contract: contract(t), Test: tc.test, Account: recorder.Account(inNamespace), TimeoutScale: 1})
			if found.Verdict != tc.want || found.Reason != tc.reason {
				t.Errorf("%s, %q; want %s, %q", found.Verdict, found.Reason, tc.want, tc.reason)
			}
		})
	}
}

// TestUnservedAndOwnMistake: a wrong write to the metadata of a child counts, although
// a request was not served. A wrong value in a spec may be an intermediate one.
func TestUnservedAndOwnMistake(t *testing.T) {
	for path, want := range map[string]v1alpha1.ResultVerdict{"metadata.labels.team": v1alpha1.Failed, "spec.replicas": v1alpha1.ResultInconclusive} {
		recorder := history.New(nil, nil)
		record := func(r history.Request, code int) {
			r.Scenario, r.Subject = inNamespace, subjectName
			recorder.Begin(r).Finish(func(r *history.Request) { r.Code = code })
		}
		record(history.Request{Verb: "create", Resource: "pods", Subresource: "exec", Name: "demo"}, 501)
		record(history.Request{
			Verb: "update", Group: "apps", Resource: "deployments", Name: "demo", Changed: []string{path}, Effect: history.EffectEffective,
		}, 200)
		failure := chainsaw.Failure{
			Step: "Then it is", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/demo",
			Message: "* " + path + ": Invalid value: 1: Expected value: 2",
		}
		test := &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{failure}}
		found := Judge(Case{Contract: contract(t), Test: test, Account: recorder.Account(inNamespace), TimeoutScale: 1})
		if found.Verdict != want {
			t.Errorf("%s: %s, %q (%+v); want %s", path, found.Verdict, found.Reason, found.Symptoms, want)
		}
	}
}

// TestUnscheduled: a Pod without a Node is not a failure of the controller, unless its own
// requests prove one.
func TestUnscheduled(t *testing.T) {
	const words = "Pod demo-0 cannot be scheduled: 0/1 nodes are available"
	for name, tc := range map[string]struct {
		failure chainsaw.Failure
		want    v1alpha1.ResultVerdict
		reason  string
	}{
		"given": {
			chainsaw.Failure{Step: "Given the Pods", Message: words, Unscheduled: words},
			v1alpha1.ResultInconclusive,
			words + `; the scenario failed at "Given the Pods" (assert)`,
		},
		"judged": {
			chainsaw.Failure{Step: "Then it is", Message: "* spec: no", Unscheduled: words},
			v1alpha1.ResultInconclusive,
			words + `; the scenario failed at "Then it is" (assert): spec: no`,
		},
		"proved": {
			chainsaw.Failure{Step: "Then it is", Message: "found 7", Unscheduled: words, Proved: true},
			v1alpha1.Failed,
			`at "Then it is" (assert): found 7`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.failure.Operation = "assert"
			found := Judge(Case{Contract: contract(t), Test: &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{tc.failure}}, TimeoutScale: 1})
			if found.Verdict != tc.want || found.Reason != tc.reason {
				t.Errorf("%s, %q; want %s, %q", found.Verdict, found.Reason, tc.want, tc.reason)
			}
		})
	}
}

// TestComparisonsAreDescribed: a step that compares values, and no object, says in words
// what must hold, because the expressions are hard to read in a message.
func TestComparisonsAreDescribed(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range all {
		steps, err := stepsOf(r)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		for _, step := range steps {
			for _, one := range step.Try {
				for _, compared := range []*comparison{one.Assert, one.Error} {
					if compared == nil || compared.Resource == nil || compared.Resource["kind"] != nil || catalogue.RoleOf(step.Name) != catalogue.Then {
						continue
					}
					found++
					if one.Description == "" {
						t.Errorf("%s, %q: the comparison of values has no description", r.ID, step.Name)
					}
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d such comparisons", found)
	}
}
