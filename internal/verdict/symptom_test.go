package verdict

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestSymptoms: a symptom says what a failed step found, and what the controller did
// about it.
func TestSymptoms(t *testing.T) {
	const deployments = "deployments.apps"
	step := func(name string) any { return history.Event{Reason: history.StepBegan, Message: name} }
	write := func(verb string, code int, changed ...string) history.Request {
		r := history.Request{Verb: verb, Group: "apps", Resource: "deployments", Name: "demo", Code: code, Changed: changed, Effect: history.EffectEffective}
		if code >= 400 {
			r.Effect, r.Reason, r.Fault = history.EffectRefused, "InternalError", "fails"
		}
		return r
	}
	refused := func(reason string) history.Request {
		r := write("create", 409)
		r.Reason, r.Fault = reason, ""
		return r
	}
	ofAnother := func(reason string) history.Request {
		r := refused(reason)
		r.Name = "another"
		return r
	}
	denied := func(namespace string) history.Request {
		r := refused("Forbidden")
		r.Code, r.Message = 403, fmt.Sprintf(`deployments.apps "demo" is forbidden: ValidatingAdmissionPolicy 'too-many-%s' with binding 'x' denied request: no`, namespace)
		return r
	}
	stepFailed := history.Event{Reason: history.StepFailed}
	assert := func(message string) chainsaw.Failure {
		return chainsaw.Failure{Step: "Then", Operation: "assert", Object: "apps/v1/Deployment @ ns/demo", Message: message}
	}
	observed := func(message string) chainsaw.Failure {
		return chainsaw.Failure{Message: message, Of: chainsaw.Measured{Kind: "Observation", Resource: deployments, Name: "demo"}}
	}
	measured := func(kind string, mode v1alpha1.DriftMode, details ...string) chainsaw.Failure {
		return chainsaw.Failure{Of: chainsaw.Measured{Kind: kind, Resource: deployments, Name: "demo", Mode: mode, Details: details}}
	}
	traffic := func(found string) chainsaw.Failure {
		return chainsaw.Failure{Message: "Traffic x is not as expected: " + found, Of: chainsaw.Measured{Kind: "Traffic"}}
	}
	stamp := history.Request{
		Verb: "update", Group: "apps.kubedojo.io", Resource: "webapps", Subresource: "status", Name: "demo", Code: 200,
		Effect: history.EffectEffective, Changed: []string{"status.conditions[0].lastTransitionTime"}, OnlyTimes: true,
	}
	event := func(verb string, code int, name string) history.Request {
		r := write(verb, code)
		r.Group, r.Resource, r.Name, r.ResourceVersion = "events.k8s.io", "events", name, "77"
		return r
	}
	noEvent := chainsaw.Failure{
		Message: `Observation x is not as expected: expected "new != null" within 45s, seen at the end: nothing`,
		Of:      chainsaw.Measured{Kind: "Observation", Resource: "events"},
	}
	anEvent := chainsaw.Failure{
		Message: `Observation x is not as expected: never expected "new != null", seen: demo.1 at resourceVersion 77 {"type":"Warning"}`,
		Of:      chainsaw.Measured{Kind: "Observation", Resource: "events"},
	}
	made := func(r history.Request) history.Request {
		r.ResourceVersion = "77"
		return r
	}
	generation := observed(`Observation x is not as expected: never expected "old != null && (new == null || new.metadata.generation != old.metadata.generation)", ` +
		`seen: demo at resourceVersion 77 {"metadata":{"generation":3}}; what came true of it: new.metadata.generation != old.metadata.generation`)
	noop := write("update", 200)
	noop.Effect = history.EffectNoop
	gone := observed(`Observation x is not as expected: expected "new != null" within 10s, seen at the end: nothing`)
	for name, tc := range map[string]struct {
		happened []any
		failure  chainsaw.Failure
		want     []string
	}{
		"never made":        {nil, gone, []string{"NeverMade"}},
		"refused, and left": {[]any{write("create", 500)}, gone, []string{"NeverMade after failure"}},
		"gone, and left":    {[]any{write("create", 201)}, gone, []string{"NotMadeAgain"}},
		"gone, and tried":   {[]any{write("create", 201), write("create", 500)}, gone, []string{"NotMadeAgain after failure"}},
		"gone, and tried too early": {
			[]any{write("create", 201), refused("AlreadyExists"), step("When it is deleted")}, gone, []string{"NotMadeAgain"},
		},
		"gone, and tried while it was going": {
			[]any{write("create", 201), step("When it is deleted"), refused("AlreadyExists")}, gone, []string{"NotMadeAgain after failure"},
		},
		"removed by itself":    {[]any{write("create", 201), write("delete", 200)}, gone, []string{"Removed"}},
		"missing for Chainsaw": {nil, assert("  actual resource not found\n"), []string{"NeverMade"}},
		"it must be gone": {
			nil,
			chainsaw.Failure{Operation: "error", Object: "apps/v1/Deployment @ ns/demo", Message: "x - resource matches expectation"},
			[]string{"Left"},
		},
		"a field": {
			[]any{write("create", 201)},
			assert("* spec.template.spec.(containers[?name == 'app'])[0].image: Invalid value: \"a\": Expected value: \"b\"\n"),
			[]string{"NotWritten spec.template.spec.containers.image"},
		},
		"a field that may be left out": {
			[]any{write("create", 201)},
			assert("* status.(readyReplicas || `0`): Invalid value: 0: Expected value: 2\n"),
			[]string{"NotWritten status.readyReplicas"},
		},
		"a field, after a failure": {
			[]any{write("create", 201), step("When it changes"), write("update", 500)},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas after failure"},
		},
		"a field, after a failure, and the end of the process": {
			[]any{step("When it changes"), write("update", 500), history.Event{Reason: history.ReplicaCrashed}},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas"},
		},
		"a field that it wrote": {
			[]any{step("When it changes"), write("update", 200, "spec.replicas")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"Written spec.replicas"},
		},
		"a field that it wrote before": {
			[]any{step("When it changes"), write("update", 200, "spec.replicas"), step("Then it is so"), step("When others change it")},
			assert("* spec.replicas: Invalid value: 7: Expected value: 3"),
			[]string{"NotWritten spec.replicas"},
		},
		"a field that it wrote rightly, and that changed after that": {
			[]any{step("When it grows"), write("update", 200, "spec.replicas"), step("When it shrinks"), write("update", 409)},
			assert("* spec.replicas: Invalid value: 3: Expected value: 2"),
			[]string{"NotWritten spec.replicas after failure"},
		},
		"a field that it wrote wrongly after a failure": {
			[]any{step("When it shrinks"), write("update", 409), write("update", 200, "spec.replicas")},
			assert("* spec.replicas: Invalid value: 3: Expected value: 2"),
			[]string{"Written spec.replicas"},
		},
		"a field below a filter with brackets": {
			[]any{write("create", 201)},
			assert("* spec.template.spec.(containers[?name == 'app'])[0].(ports[?contains(['8080', '9090'], to_string(containerPort))].containerPort)[0]: Invalid value: 8080: Expected value: 9090"),
			[]string{"NotWritten spec.template.spec.containers.ports.containerPort"},
		},
		"a label that it took away": {
			[]any{write("update", 200, "metadata.labels.example.com/team", "spec.replicas"), step("When it has settled")},
			assert("* metadata.labels.example.com/team: Required value: field not found in the input object"),
			[]string{"Written metadata.labels"},
		},
		"an expression": {nil, assert("* (length(x) >= `2`): Invalid value: false: Expected value: true"), nil},
		"a label that it removed, before a conflict": {
			[]any{write("update", 200, "metadata.labels.example.com/team", "spec.replicas"), step("When it has settled"), write("update", 409)},
			assert("* metadata.labels.example.com/team: Required value: field not found in the input object"),
			[]string{"NotWritten metadata.labels after failure"},
		},
		"a label that it removed, before a conflict that it met with a write of what was there": {
			[]any{write("update", 200, "metadata.labels.example.com/team", "spec.replicas"), step("When it has settled"), write("update", 409), noop},
			assert("* metadata.labels.example.com/team: Required value: field not found in the input object"),
			[]string{"Written metadata.labels"},
		},
		"what the API server keeps": {nil, assert("* metadata.generation: Invalid value: 3: Expected value: 2"), nil},
		"the end of an observation": {
			[]any{write("create", 201)},
			observed(`Observation x is not as expected: expected "new.spec.replicas == 3" within 10s, seen at the end: demo {"spec":{"replicas":2}}`),
			[]string{"NotWritten spec.replicas"},
		},
		"a map of which one key is wrong": {
			[]any{write("create", 201)},
			observed(`Observation x is not as expected: expected "old.spec.?selector != first.spec.?selector && new.spec.?selector == first.spec.?selector" within 10s, ` +
				`seen at the end: demo {"spec":{"selector":{"app":"demo","example.com/track":"canary"}}}`),
			[]string{"NotWritten spec.selector"},
		},
		"one that must be gone": {
			[]any{write("create", 201)},
			observed(`Observation x is not as expected: expected "all.size() == 0" within 10s, seen at the end: demo {"spec":{"replicas":2},"status":{}}`),
			[]string{"Left"},
		},
		"two that must be gone, of which one is cut short": {
			[]any{write("create", 201)},
			observed(`Observation x is not as expected: expected "all.size() == 0" within 10s, seen at the end: demo {"spec":{"repl…; other {"spec":{}}`),
			[]string{"Left"},
		},
		"one that must be gone, or on its way": {
			nil, observed(`Observation x is not as expected: expected "new == null || has(new.metadata.deletionTimestamp)" within 10s, seen at the end: demo {"metadata":{}}`),
			[]string{"Left"},
		},
		"too few objects": {nil, observed(`Observation x is not as expected: expected "all.size() >= 12" within 10s, seen at the end: demo {"spec":{}}`), nil},
		"a version that must never be": {
			[]any{func() history.Request {
				r := write("update", 200, "metadata.labels.example.com/newer", "spec.replicas")
				r.ResourceVersion = "77"
				return r
			}()},
			observed(`Observation x is not as expected: never expected "new == null || new.spec.replicas == 2 || new.metadata.?labels.orValue({}).size() == 0", ` +
				`seen: demo at resourceVersion 77 {"spec":{}}; what came true of it: new.metadata.?labels.orValue({}).size() == 0`),
			[]string{"Written metadata.labels"},
		},
		"a version that must never be, made before the last step": {
			[]any{func() history.Request {
				r := stamp
				r.ResourceVersion, r.OnlyTimes, r.Changed = "77", false, []string{"status.observedGeneration"}
				return r
			}(), step("Then it is there"), step("When it has settled"), step("Then it was never ready")},
			chainsaw.Failure{
				Message: `Observation x is not as expected: never expected "new.?status.?observedGeneration.orValue(0) == new.metadata.generation", seen: demo at resourceVersion 77 {"status":{}}`,
				Of:      chainsaw.Measured{Kind: "Observation", Resource: "webapps.apps.kubedojo.io", Name: "demo"},
			},
			[]string{"Written status.observedGeneration"},
		},
		"a generation that must never change": {
			[]any{made(write("update", 200, "spec.replicas", "spec.template.spec.containers[0].image", "status.observedGeneration"))},
			generation,
			[]string{"Written spec.replicas", "Written spec.template.spec.containers.image"},
		},
		"a generation, raised by the annotations": {
			[]any{made(write("update", 200, "metadata.annotations.deployment.kubernetes.io/revision", "metadata.annotations.example.com/note"))},
			generation,
			[]string{"Written metadata.annotations"},
		},
		"a generation that somebody else raised": {[]any{write("update", 200, "spec.replicas")}, generation, nil},
		"an Event that must never be": {
			[]any{event("create", 201, "demo.1")},
			anEvent,
			[]string{"Written"},
		},
		"an Event that must never be, by others": {
			[]any{event("create", 201, "demo.2")},
			anEvent,
			nil,
		},
		"an Event that is refused, beside another one": {
			[]any{event("create", 201, "other.1"), step("When it is refused"), event("create", 201, "other.2"), event("create", 422, "demo.1")},
			noEvent,
			[]string{"NeverMade after failure"},
		},
		"an Event that is missing, and another one that was refused before": {
			[]any{event("create", 422, "other.1"), step("When it is refused"), event("create", 201, "other.2"), stepFailed, event("create", 201, "other.3")},
			noEvent,
			[]string{"NeverMade"},
		},
		"a version that others made": {nil, observed(`Observation x is not as expected: never expected "new.spec.replicas == 2", seen: demo at resourceVersion 77 {}`), nil},
		"a picture": {
			nil, measured("Snapshot", "", "deployments.apps demo: is missing", "services demo: was not there", "services demo: spec.ports[80].port: 80, was 81", "nonsense"),
			[]string{"NeverMade", "Left", "NotWritten spec.ports.port"},
		},
		"a picture, with names that are made up": {
			[]any{made(write("create", 201)), stepFailed},
			measured("Snapshot", "", "deployments.apps demo-?????: is missing", "deployments.apps demo-????? (2): spec.replicas: 3, was 2"),
			[]string{"NotMadeAgain", "NotWritten spec.replicas"},
		},
		"a picture, and the status of children": {
			nil, measured("Snapshot", "", "deployments.apps demo: spec.replicas: 3, was 2", "deployments.apps demo: status.replicas: 3, was 2"),
			[]string{"NotWritten spec.replicas"},
		},
		"a picture, and the status that tells of it": {
			[]any{history.Request{Verb: "update", Group: "apps.kubedojo.io", Resource: "webapps", Name: "demo", Code: 200, Effect: history.EffectEffective, Changed: []string{"status.phase"}}},
			measured("Snapshot", "", "deployments.apps demo: spec.replicas: 3, was 2", `webapps.apps.kubedojo.io demo: status.phase: "Pending", was "Running"`),
			[]string{"NotWritten spec.replicas"},
		},
		"a picture, and what was right before the scenario changed it once more": {
			[]any{
				step("When it shrinks"), write("update", 200, "spec.replicas"), step("When it grows, and the controller ends"),
				history.Event{Reason: history.ScenarioActed, Message: "patch WebApp demo"},
				write("update", 200, "spec.paused"), stepFailed,
			},
			measured("Snapshot", "", "deployments.apps demo: spec.replicas: 2, was 3"),
			[]string{"NotWritten spec.replicas"},
		},
		"a picture, and what it wrote after that": {
			[]any{
				step("When it shrinks"), step("When it grows, and the controller ends"),
				history.Event{Reason: history.ScenarioActed, Message: "patch WebApp demo"},
				write("update", 200, "spec.replicas"), stepFailed,
			},
			measured("Snapshot", "", "deployments.apps demo: spec.replicas: 2, was 3"),
			[]string{"Written spec.replicas"},
		},
		"drift of what it had written once": {
			[]any{write("create", 201), write("update", 200, "metadata.labels.app")},
			measured("Drift", v1alpha1.DriftChange, `metadata.labels['app'] (changed from "a" to "b" by somebody else, and not back after 10s; the controller did not write the object in that time)`),
			[]string{"NotWritten metadata.labels"},
		},
		"drift that came back, and is another": {
			[]any{write("create", 201), write("update", 200, "metadata.labels.app")},
			measured("Drift", v1alpha1.DriftChange, `metadata.labels['app'] (changed from "a" to "b" by somebody else, and it came back, and is another again at the end)`),
			[]string{"Written metadata.labels"},
		},
		"drift": {nil, measured("Drift", v1alpha1.DriftChange, "spec.template.spec.containers[app].image (changed from …)"), []string{"NotWritten spec.template.spec.containers.image"}},
		"what others add": {
			nil, measured("Drift", v1alpha1.DriftAdd, "metadata.labels['example.com/foreign'] (added by somebody else, and gone; the controller has written it since: #4)"),
			[]string{"Written metadata.labels"},
		},
		"what others delete": {
			[]any{made(write("create", 201)), stepFailed},
			func() chainsaw.Failure {
				f := measured("Drift", v1alpha1.DriftChange, "deployments.apps demo (deleted by somebody else, and not back after 10s; it came back when the controller was restarted)")
				f.Of.Resource, f.Of.Mode = "webapps.apps.kubedojo.io", v1alpha1.DriftDelete
				return f
			}(),
			[]string{"NotMadeAgain"},
		},
		"what others change in another object": {
			nil,
			func() chainsaw.Failure {
				f := measured("Drift", v1alpha1.DriftChange, "configmaps demo data.mode (changed from \"a\" to \"b\" by somebody else, and not back after 10s; it came back when the controller was restarted)")
				f.Of.Resource, f.Of.Mode = "webapps.apps.kubedojo.io", v1alpha1.DriftChangeOthers
				return f
			}(),
			[]string{"NotWritten data.mode"},
		},
		"writes that must not be": {
			[]any{write("update", 200, "metadata.labels.x")},
			chainsaw.Failure{Message: "Traffic x is not as expected: expected no effective writes, found 1 in 8s: #1 update deployments demo (effective)", Of: chainsaw.Measured{Kind: "Traffic"}},
			[]string{"Written metadata.labels"},
		},
		"writes that must not be, beside no-ops": {
			[]any{func() history.Request { r := write("update", 200); r.Effect = history.EffectNoop; return r }(), write("update", 200, "spec.replicas")},
			traffic("expected no effective writes, found 1 in 8s: #1 update deployments demo (noop); #2 update deployments demo (effective)"),
			[]string{"Written spec.replicas"},
		},
		"writes of more than managed fields": {
			[]any{func() history.Request { r := write("update", 200); r.ResourceVersion = "7"; return r }(), write("update", 200, "spec.replicas")},
			traffic("expected no effective writes of more than managed fields, found 1 in 8s: #1 update deployments demo (effective: only metadata.managedFields); #2 update deployments demo (effective)"),
			[]string{"Written spec.replicas"},
		},
		"writes of more than a start": {
			[]any{func() history.Request {
				r := write("update", 200, "spec.replicas")
				r.Values = []history.Change{{Path: "spec.replicas", Was: "0", Is: "1"}}
				return r
			}(), write("update", 200, "spec.template")},
			traffic("expected no effective writes of more than managed fields, starts of Pods not counted, found 1 in 8s: #1 update deployments demo (effective: only to start more Pods); #2 update deployments demo (effective)"),
			[]string{"Written spec.template"},
		},
		"writes that only say when": {
			[]any{stamp},
			traffic("expected no effective writes, found 1 in 8s: #1 update webapps/status demo (effective)"),
			[]string{"Restless"},
		},
		"writes to what is not a child": {
			[]any{func() history.Request { r := write("delete", 200); r.Bystander = true; return r }()},
			traffic("expected no effective writes, found 1 in 8s: #1 delete deployments demo (effective)"),
			[]string{"Written"},
		},
		"no quiet, as it says when again and again": {
			[]any{stamp, stamp, stamp},
			traffic("expected the subject to fall quiet within 20s in 20.1s: #1 update webapps/status demo (effective)"),
			[]string{"Restless"},
		},
		"no quiet, though it said when twice": {
			[]any{stamp, stamp},
			traffic("expected the subject to fall quiet within 20s in 20.1s: #1 update webapps/status demo (effective)"),
			nil,
		},
		"a version that only says when": {
			[]any{func() history.Request { r := stamp; r.ResourceVersion = "77"; return r }()},
			chainsaw.Failure{
				Message: `Observation x is not as expected: never expected "new.status.conditions == first.status.conditions", seen: demo at resourceVersion 77 {"status":{}}`,
				Of:      chainsaw.Measured{Kind: "Observation", Resource: "webapps.apps.kubedojo.io", Name: "demo"},
			},
			[]string{"Restless status.conditions"},
		},
		"too many writes": {
			[]any{write("update", 200, "metadata.labels.x")},
			chainsaw.Failure{Message: "Traffic x is not as expected: expected at most 2 effective writes, found 9 in 8s: #1 update deployments demo (effective)", Of: chainsaw.Measured{Kind: "Traffic"}},
			[]string{"Repeated"},
		},
		"too many writes without success, beside one that was not": {
			[]any{func() history.Request { r := stamp; r.Effect = history.EffectNoop; return r }(), write("update", 200, "spec.replicas")},
			traffic("expected at most 5 no-op or refused writes, found 7 in 10s: #1 update webapps demo (noop); #2 update deployments demo (effective)"),
			[]string{"Repeated"},
		},
		"too few": {
			[]any{refused("Invalid")},
			traffic("expected at least 2 refused requests, found 1 in 10s: #1 create deployments demo (409)"),
			nil,
		},
		"a Fault that waits": {
			[]any{history.Event{Reason: history.FaultArmed, Object: "Fault/hanging", Verbs: []string{"create", "update"}, Resources: []string{"services"}}},
			chainsaw.Failure{Operation: "assert", Object: "reconform.dev/v1alpha1/Fault @ ns/hanging"},
			[]string{"NeverMade"},
		},
		"stuck": {
			[]any{write("create", 201), refused("AlreadyExists"), refused("AlreadyExists"), refused("AlreadyExists")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas after failure", "Refused create AlreadyExists"},
		},
		"stuck with two writes": {
			[]any{
				refused("AlreadyExists"), refused("AlreadyExists"), refused("AlreadyExists"), ofAnother("Invalid"), ofAnother("Invalid"), ofAnother("Invalid"),
			},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas after failure", "Refused create AlreadyExists"},
		},
		"stuck with a write of another object": {
			[]any{ofAnother("AlreadyExists"), ofAnother("AlreadyExists"), ofAnother("AlreadyExists"), ofAnother("Invalid"), ofAnother("Invalid"), ofAnother("Invalid")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas", "Refused create Invalid"},
		},
		"not stuck": {
			[]any{refused("AlreadyExists"), refused("AlreadyExists"), refused("AlreadyExists"), write("update", 200)},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas"},
		},
		"refused by a policy of the scenario": {
			[]any{denied("ns"), denied("ns"), denied("ns")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas after failure"},
		},
		"refused by a policy of the cluster": {
			[]any{denied("prod"), denied("prod"), denied("prod")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas after failure", "Refused create Forbidden"},
		},
		"written too late": {
			[]any{step("When it grows"), stepFailed, write("update", 200, "spec.replicas")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas late"},
		},
		"written too late, in a loop": {
			[]any{stamp, stamp, step("When it grows"), stamp, stepFailed, write("update", 200, "spec.replicas")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas late", "Restless"},
		},
		"another field written later": {
			[]any{stamp, stamp, stamp, stepFailed, write("update", 200, "spec.paused")},
			assert("* spec.replicas: Invalid value: 2: Expected value: 3"),
			[]string{"NotWritten spec.replicas"},
		},
		"made too late, and another never": {
			[]any{stamp, stamp, stamp, stepFailed, write("create", 201)},
			measured("Snapshot", "", "deployments.apps demo: is missing", "services demo: is missing"),
			[]string{"NeverMade late", "NeverMade"},
		},
		"a bench object of another kind": {nil, chainsaw.Failure{Of: chainsaw.Measured{Kind: "Load"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Contract: contract(t), Account: accountOf("ns", tc.happened)}
			var got []string
			for _, s := range c.symptoms(tc.failure) {
				text := string(s.State)
				if s.Path != "" {
					text += " " + s.Path
				}
				if s.AfterFailure {
					text += " after failure"
				}
				if s.Late {
					text += " late"
				}
				got = append(got, text)
				if s.Seen == "" {
					t.Error("it is not told in words: " + fmt.Sprint(s))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("symptoms (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAskedFor: what the controller only read is not told as a write.
func TestAskedFor(t *testing.T) {
	for name, tc := range map[string]struct{ verb, want string }{
		"a list":  {history.VerbList, "the controller asked for webapps.x"},
		"a write": {history.VerbUpdate, "the controller wrote webapps.x"},
	} {
		t.Run(name, func(t *testing.T) {
			r := history.Request{Seq: 1, Scenario: "ns", Group: "x", Resource: "webapps", Verb: tc.verb, Code: 403, Effect: history.EffectRefused}
			c := &Case{Account: history.Account{Requests: []history.Request{r}}}
			found := c.inTraffic("Traffic t is not as expected: expected no requests, found 1 in 3s: #1 " + tc.verb + " webapps (403)")
			if len(found) != 1 {
				t.Fatalf("found %+v, want one thing", found)
			}
			if got := c.symptom(found[0]).Seen; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestOftenFirst: requests that were repeated are sorted by how often they came.
// Forbidden writes keep their order.
func TestOftenFirst(t *testing.T) {
	deployment, status := wrong{resource: "deployments.apps", what: repeated}, wrong{resource: "webapps.x", what: repeated}
	once := wrong{resource: "services", what: written}
	deploymentOnce := deployment
	deploymentOnce.once = true
	for name, tc := range map[string]struct{ found, want []wrong }{
		"asked":   {[]wrong{deployment, status, status}, []wrong{status, status, deploymentOnce}},
		"written": {[]wrong{{what: written}, once, once}, []wrong{{what: written}, once, once}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, oftenFirst(tc.found), cmp.AllowUnexported(wrong{})); diff != "" {
				t.Errorf("the order (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOtherPlural: the plural of a kind is the one in the profile, whatever is usual. Otherwise a
// symptom would say that the controller had not written an object that it has written.
func TestOtherPlural(t *testing.T) {
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	p.Spec.Contract.Resource = v1alpha1.PrimaryResource{Group: "example.com", Version: "v1", Kind: "Elasticsearch", Plural: "elasticsearches"}
	p.Spec.Contract.Children.Deployment.Workload = &v1alpha1.Workload{Group: "example.org", Version: "v1", Kind: "Mesh", Plural: "meshes"}
	c := toldOf(
		history.Event{Reason: history.StepBegan, Message: "When it changes"},
		history.Request{
			Verb: "update", Group: "example.com", Resource: "elasticsearches", Subresource: "status", Name: "demo", Code: 200,
			Effect: history.EffectEffective, Changed: []string{"status.phase"}, Values: []history.Change{{Path: "status.phase", Was: `"Ready"`, Is: `"Failed"`}},
		},
		history.Event{Reason: history.StepFailed},
	)
	c.Contract = invariant.ContractOf(p)
	for object, want := range map[string]v1alpha1.Symptom{
		"example.com/v1/Elasticsearch @ ns/demo": {
			Resource: "elasticsearches.example.com", Role: v1alpha1.RolePrimary, State: v1alpha1.Written, Path: "status.phase",
			Seen: `the controller changed status.phase of elasticsearches.example.com demo itself (#2: status.phase from "Ready" to "Failed")`,
		},
		"example.org/v1/Mesh @ ns/demo": {
			Resource: "meshes.example.org", Role: v1alpha1.RoleChild, State: v1alpha1.NotWritten, Path: "status.phase",
			Seen: "status.phase of meshes.example.org demo is not as it must be; the controller sent no request for it in the 2s after the change",
		},
	} {
		got := c.symptoms(chainsaw.Failure{
			Step: "Then it is ready", Operation: "assert", Object: object, Message: `* status.phase: Invalid value: "Failed": Expected value: "Ready"`,
		})
		if diff := cmp.Diff([]v1alpha1.Symptom{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", object, diff)
		}
	}
}
