package evidence

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestText(t *testing.T) {
	for name, tc := range map[string]struct {
		result v1alpha1.Result
		want   string
	}{
		"the reason alone": {v1alpha1.Result{Reason: "no Pod was ready\nin 60s\n"}, "reason: no Pod was ready\n  in 60s"},
		"with evidence": {
			v1alpha1.Result{Reason: "no", Evidence: &v1alpha1.Evidence{
				Difference: "-a\n+b\n", Requests: []string{"#1 create", "#2 create"}, Catches: "drift", Hint: "look there",
				Log: []string{"one", "two"}, Reproduce: "reconform run --run '^SH-004$'",
			}},
			`reason: no
hint:
  look there
this requirement exists to catch:
  drift
reproduce with:
  reconform run --run '^SH-004$'
expected and observed:
  -a
  +b
the requests that prove it:
  #1 create
  #2 create
last lines of the controller:
  one
  two`,
		},
		"many things were found": {
			v1alpha1.Result{Reason: "at x: 7 of 9 not so: a; b", Evidence: &v1alpha1.Evidence{
				Difference: "7 of 9 not so: a; b", Details: []string{"a", "b", "c", "d", "e", "f", "g"},
				Symptoms: []v1alpha1.Symptom{{Seen: "one"}, {Seen: "two"}, {Seen: "three"}, {Seen: "four"}},
			}},
			`reason: at x: 7 of 9 not so: a; b
what was seen:
  one
  two
  three
  and 1 more
one by one:
  a
  b
  c
  d
  e
  and 2 more, in report.html`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Text(&tc.result)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMust: what failed only by an invariant that another requirement judges is told as that.
func TestMust(t *testing.T) {
	broken := []v1alpha1.Violation{{Rule: v1alpha1.RuleForeignObject}}
	for name, tc := range map[string]struct {
		verdict  v1alpha1.ResultVerdict
		evidence *v1alpha1.Evidence
		want     string
	}{
		"its own step":                 {v1alpha1.Failed, &v1alpha1.Evidence{Catches: "drift"}, "It heals."},
		"no evidence":                  {v1alpha1.Failed, nil, "It heals."},
		"an invariant":                 {v1alpha1.Failed, &v1alpha1.Evidence{Violations: broken}, "The controller writes to no object of somebody else, nor to the status of a workload, which the cluster writes. (This holds in every scenario. It was broken in that of SH-003, which is about something else.)"},
		"one that it judges":           {v1alpha1.Failed, &v1alpha1.Evidence{Violations: broken, Catches: "drift"}, "It heals."},
		"one that is judged elsewhere": {v1alpha1.Blocked, &v1alpha1.Evidence{Violations: broken}, "It heals."},
		"one of another release":       {v1alpha1.Failed, &v1alpha1.Evidence{Violations: []v1alpha1.Violation{{Rule: "Unknown"}}}, "It heals."},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.Result{ID: "SH-003", Verdict: tc.verdict, Must: "It heals.", Evidence: tc.evidence}
			if got := Must(r); got != tc.want {
				t.Errorf("must %q, want %q", got, tc.want)
			}
		})
	}
}

// TestReason: expected and found are said in words, on lines of their own.
func TestReason(t *testing.T) {
	for name, tc := range map[string]struct{ reason, want, brief string }{
		"words": {"the controller does not start", "reason: the controller does not start\n", "the controller does not start"},
		"a field": {
			`at "Then it runs the new image" (assert apps/v1/Deployment @ ns/demo-web): spec.template.spec.(containers[?name == 'web'])[0].image: ` +
				`Invalid value: "demo:v1": Expected value: "demo:v2"; it relies on what was not judged here: RC-001`,
			"failed at: Then it runs the new image\n" +
				"  expected: spec.template.spec.containers[name=web].image = \"demo:v2\"\n  found:    \"demo:v1\", in Deployment demo-web\n" +
				"reason: this requirement relies on what was not judged here: RC-001\n",
			`Then it runs the new image: expected spec.template.spec.containers[name=web].image = "demo:v2"; found "demo:v1", in Deployment demo-web`,
		},
		"a field that counts as zero if it is not there": {
			`at "Then one is ready" (assert apps.kubedojo.io/v1beta1/WebApp @ ns/demo): status.(readyReplicas || ` + "`0`" + `): Invalid value: 2: Expected value: 1`,
			"failed at: Then one is ready\n  expected: status.readyReplicas = 1\n  found:    2, in WebApp demo\n",
			"Then one is ready: expected status.readyReplicas = 1; found 2, in WebApp demo",
		},
		"an expression, and what comes before": {
			"the scenario could not be carried out: it failed at \"When it waits\" (assert apps/v1/Deployment @ ns/demo): (status.unavailableReplicas > `0`): " +
				"Invalid value: null: Expected value: true; spec.replicas: Invalid value: 1: Expected value: 2",
			"reason: the scenario could not be carried out\nfailed at: When it waits\n" +
				"  expected: status.unavailableReplicas > 0\n  found:    null, in Deployment demo\n" +
				"  expected: spec.replicas = 2\n  found:    1, in Deployment demo\n",
			"When it waits: expected status.unavailableReplicas > 0; found null, in Deployment demo; and 1 more",
		},
		"too few objects": {
			`at "Then each is served" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "all.size() >= 12" within 1m0s, ` +
				`seen at the end: 4 (a, b, c and 1 more)`,
			"failed at: Then each is served\n  expected: at least 12 objects\n  found:    4 (a, b, c and 1 more)\n",
			"Then each is served: expected at least 12 objects within 1m0s; found 4 (a, b, c and 1 more)",
		},
		"an object that is not made anew": {
			`at "Then it has one" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: ` +
				`expected "new != null && !has(new.metadata.deletionTimestamp)" within 50s, seen at the end: nothing`,
			"failed at: Then it has one\n  expected: it is there, and is not being deleted\n  found:    no such object\n",
			"Then it has one: expected it is there, and is not being deleted within 50s; found no such object",
		},
		"objects that stay": {
			`at "Then they are gone" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "all.size() == 0" within 15s, ` +
				`seen at the end: 1 (first)`,
			"failed at: Then they are gone\n  expected: no object\n  found:    1 (first)\n",
			"Then they are gone: expected no object within 15s; found 1 (first)",
		},
		"several objects": {
			`at "Then one has it" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "all.exists(o, o.a == 1)" within 15s, ` +
				`seen at the end: a {"a":2}; b-1 {"a":3}; c {"a":"x; y"}; and 2 more`,
			"failed at: Then one has it\n  expected: all.exists(o, o.a == 1)\n  found:    a {\"a\":2}; b-1 {\"a\":3}; c {\"a\":\"x; y\"}; and 2 more\n",
			`Then one has it: expected all.exists(o, o.a == 1) within 15s; found a {"a":2}; b-1 {"a":3}; c {"a":"x; y"}; and 2 more`,
		},
		"what must not be there": {
			`at "Then no Pod has the old image" (error v1/Pod @ ns/*): v1/Pod/ns/web-abc - resource matches expectation`,
			"failed at: Then no Pod has the old image\n  expected: no such Pod\n  found:    Pod web-abc\n",
			"Then no Pod has the old image: expected no such Pod; found Pod web-abc",
		},
		"what must be there": {
			`at "Then it is back" (assert apps/v1/Deployment @ ns/demo): actual resource not found`,
			"failed at: Then it is back\n  expected: Deployment demo\n  found:    none\n",
			"Then it is back: expected Deployment demo; found none",
		},
		"what must be there, under whatever name": {
			`at "Then it is back" (assert v1/Pod @ ns/*): actual resource not found`,
			"failed at: Then it is back\n  expected: such a Pod\n  found:    none\n",
			"Then it is back: expected such a Pod; found none",
		},
		"a filter that lets something through": {
			`at "Then they are valid" (assert apps.kubedojo.io/v1beta1/WebApp @ ns/demo): status.(conditions[?observedGeneration != $webapp.generation]): ` +
				`Invalid value: [{"type":"Ready"}]: lengths of slices don't match`,
			"failed at: Then they are valid\n  expected: no entry in status.(conditions[?observedGeneration != $webapp.generation])\n" +
				"  found:    1 entry: {\"type\":\"Ready\"}, in WebApp demo\n",
			`Then they are valid: expected no entry in status.(conditions[?observedGeneration != $webapp.generation]); found 1 entry: {"type":"Ready"}, in WebApp demo`,
		},
		"a filter that lets an object through": {
			`at "Then nothing is left" (assert v1/Pod @ ns/*): status.(items[?left != $gone]): ` +
				`Invalid value: [{"kind":"Pod","metadata":{"name":"demo-1","uid":"u"},"spec":{}}]: lengths of slices don't match`,
			"failed at: Then nothing is left\n  expected: no entry in status.(items[?left != $gone])\n  found:    1 entry: Pod demo-1, in Pod\n",
			"Then nothing is left: expected no entry in status.(items[?left != $gone]); found 1 entry: Pod demo-1, in Pod",
		},
		"the same request again and again": {
			`at "Then there were few reads" (assert reconform.dev/v1alpha1/Traffic @ ns/t): Traffic t is not as expected: expected at most 2 requests, ` +
				`found 4 in 9.5s: #44 list deployments; #45 list services; #46 list deployments; #47 list deployments`,
			"failed at: Then there were few reads\n  expected: at most 2 requests\n  found:    4\n" +
				"reason: counted in 9.5s: #44 list deployments; #45 list services; #46 list deployments; #47 list deployments\n",
			"Then there were few reads: expected at most 2 requests; found 4 in 9.5s: 3 × list deployments from #44 on, #45 list services",
		},
		"a filter that lets nothing through": {
			`at "Then it belongs to it" (assert apps/v1/Deployment @ ns/demo): metadata.(ownerReferences[?controller]): Invalid value: []: lengths of slices don't match`,
			"failed at: Then it belongs to it\n  expected: an entry in metadata.ownerReferences[controller=true]\n  found:    none, in Deployment demo\n",
			"Then it belongs to it: expected an entry in metadata.ownerReferences[controller=true]; found none, in Deployment demo",
		},
		"a field of an entry of a list": {
			`at "Then it has it" (assert apps/v1/Deployment @ ns/demo): spec.template.spec.(containers[?name == 'app'])[0].(env[?name == 'LINES'].value)[0]: ` +
				`Invalid value: "a": Expected value: "b"`,
			"failed at: Then it has it\n  expected: spec.template.spec.containers[name=app].env[name=LINES].value = \"b\"\n  found:    \"a\", in Deployment demo\n",
			`Then it has it: expected spec.template.spec.containers[name=app].env[name=LINES].value = "b"; found "a", in Deployment demo`,
		},
		"an entry of a list that is missing": {
			`at "Then it has it" (assert apps/v1/Deployment @ ns/demo): spec.template.spec.(containers[?name == 'app'])[0].(env[?name == 'EMPTY'].name): ` +
				`Invalid value: []: lengths of slices don't match`,
			"failed at: Then it has it\n  expected: an entry in spec.template.spec.containers[name=app].env[name=EMPTY].name\n  found:    none, in Deployment demo\n",
			"Then it has it: expected an entry in spec.template.spec.containers[name=app].env[name=EMPTY].name; found none, in Deployment demo",
		},
		"what the scenario says of values": {
			`at "Then each gets one" (assert / @ *): ($uids): Invalid value: []: Expected value: ["1"]; what must hold: Each has one. Compared are UIDs.; ` +
				`it relies on what was not judged here: RC-001`,
			"failed at: Then each gets one\n  expected: each has one. Compared are UIDs\n  found:    []\nreason: this requirement relies on what was not judged here: RC-001\n",
			`Then each gets one: expected: each has one. Compared are UIDs; found: []`,
		},
		"what the scenario says of values in another script": {
			`at "Then it is over" (assert / @ *): ($n): Invalid value: 3: Expected value: 1; what must hold: Über eins hinaus wächst es nie.`,
			"failed at: Then it is over\n  expected: über eins hinaus wächst es nie\n  found:    3\n",
			`Then it is over: expected: über eins hinaus wächst es nie; found: 3`,
		},
		"what the scenario says of several values": {
			`at "Then neither selects the other's" (assert / @ *): (label_match($a.selector, $b.labels)): Invalid value: true: Expected value: false; ` +
				`(label_match($b.selector, $a.labels)): Invalid value: true: Expected value: false; what must hold: No selector matches the other's labels.`,
			"failed at: Then neither selects the other's\n  expected: no selector matches the other's labels\n  found:    this is not so\n",
			`Then neither selects the other's: expected: no selector matches the other's labels; found: this is not so`,
		},
		"what the scenario says of two numbers": {
			`at "Then both are few" (assert / @ *): (length($a)): Invalid value: 3: Expected value: 1; ` +
				`(length($b)): Invalid value: 2: Expected value: 1; what must hold: There is one of each.`,
			"failed at: Then both are few\n  expected: there is one of each\n  found:    3; 2\n",
			`Then both are few: expected: there is one of each; found: 3; 2`,
		},
		"a list of another length": {
			`at "Then it has both" (assert v1/Service @ ns/demo): spec.ports: Invalid value: [1]: lengths of slices don't match`,
			"failed at: Then it has both\n  expected: spec.ports = as many entries as in the scenario\n  found:    1 entry: 1, in Service demo\n",
			"Then it has both: expected spec.ports = as many entries as in the scenario; found 1 entry: 1, in Service demo",
		},
		"a comparison that shows its value": {
			`at "Then they have hardly grown" (assert reconform.dev/v1alpha1/Observation @ ns/m): status.endpoint.(to_string(series <= $series || series)): ` +
				`Invalid value: "241": Expected value: "true"`,
			"failed at: Then they have hardly grown\n  expected: status.endpoint.series <= $series\n  found:    \"241\", in Observation m\n",
			`Then they have hardly grown: found "241", in Observation m`,
		},
		"a comparison that names what has grown": {
			`at "Then they have hardly grown" (assert reconform.dev/v1alpha1/Observation @ ns/m): status.endpoint.(to_string(series <= $series || join(' ', ` +
				"[to_string(series), 'series now, before:', $noted.series, '- new ones of', join(', ', not_null(grown, `[]`))]))): " +
				`Invalid value: "240 series now, before: 190 - new ones of a (+49), b (+1)": Expected value: "true"`,
			"failed at: Then they have hardly grown\n  expected: status.endpoint.series <= $series\n" +
				"  found:    \"240 series now, before: 190 - new ones of a (+49), b (+1)\", in Observation m\n",
			`Then they have hardly grown: found "240 series now, before: 190 - new ones of a (+49), b (+1)", in Observation m`,
		},
		"an error that should not be": {
			`at "Then it can be written" (patch backup.example.com/v1/Backup @ ns/demo): (to_string($error == null || $error)): ` +
				`Invalid value: "denied: 1 field": Expected value: "true"`,
			"failed at: Then it can be written\n  expected: no error\n  found:    \"denied: 1 field\", in Backup demo\n",
			`Then it can be written: expected no error; found "denied: 1 field", in Backup demo`,
		},
		"a rule that is not said in words": {
			`at "Then no status said so" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"new.status.exists(c, c.type == 'Ready')", seen: demo at resourceVersion 7 {"status":["Ready"]}; it relies on what was not judged here: RC-001`,
			"failed at: Then no status said so\n  expected: that this never happens: new.status.exists(c, c.type == 'Ready')\n" +
				"  found:    demo at resourceVersion 7 {\"status\":[\"Ready\"]}\n",
			`Then no status said so: found demo at resourceVersion 7 {"status":["Ready"]}`,
		},
		"two rules in the wrong order": {
			`at "Then the finalizer was first" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new != null" after ` +
				`"new != null && new.metadata.?finalizers.orValue([]).exists(f, f != 'a')", was true at resourceVersion 618, and the other not before 662`,
			"failed at: Then the finalizer was first\n  expected: first: new != null && new.metadata.?finalizers.orValue([]).exists(f, f != 'a'); and then: it is there\n" +
				"  found:    the second at resourceVersion 618, and the first not before 662\n",
			"Then the finalizer was first: found the other order",
		},
		"two rules in the wrong order, in words": {
			`at "Then the finalizer was first" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new != null" after ` +
				`"new.spec.replicas == 3", was true at resourceVersion 618, and the other not within 20s`,
			"failed at: Then the finalizer was first\n  expected: first: spec.replicas is 3; and then: it is there\n" +
				"  found:    the second at resourceVersion 618, and the first not within 20s\n",
			"Then the finalizer was first: expected first: spec.replicas is 3; and then: it is there; found the second at resourceVersion 618, and the first not within 20s",
		},
		"the readiness of a replica in a rule": {
			`at "Then it is not ready" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"new != null && new.?status.?replicas.orValue([]).exists(r, r.?readyz.orValue(false))", seen: subject at resourceVersion 7 {"spec":{"replicas":1}}`,
			"failed at: Then it is not ready\n  expected: that this never happens: a replica is ready\n  found:    it happened: subject at resourceVersion 7\n",
			"Then it is not ready: expected that this never happens: a replica is ready; found it happened: subject at resourceVersion 7",
		},
		"a number in a rule": {
			`at "Then it was healthy" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected "new.failed > 0", seen: ` +
				`{"failed":1}`,
			"failed at: Then it was healthy\n  expected: that this never happens: failed > 0\n  found:    {\"failed\":1}\n",
			`Then it was healthy: expected that this never happens: failed > 0; found {"failed":1}`,
		},
		"a line of the log that must not be": {
			`at "Then no line has a value" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected "new.complete + new.incomplete > 0", seen: ` +
				`{"complete":7,"examples":[{"format":"JSON","line":"{\"msg\":\"changed\",\"to\":\"secret\"}"},{"format":"JSON","line":"b"}],"lines":9}`,
			"failed at: Then no line has a value\n  expected: that this never happens: the log has such a line\n  found:    {\"msg\":\"changed\",\"to\":\"secret\"}\n",
			`Then no line has a value: expected that this never happens: the log has such a line; found {"msg":"changed","to":"secret"}`,
		},
		"an expression over a list of objects": {
			`at "Then each Event names it" (assert apps.kubedojo.io/v1beta1/WebApp @ ns/demo): (length(x_k8s_list($client, 'v1', 'Event', $namespace).items) > ` + "`0`" + `): ` +
				`Invalid value: false: Expected value: true`,
			"failed at: Then each Event names it\n  expected: length(x_k8s_list($client, 'v1', 'Event', $namespace).items) > 0\n  found:    this is not so, in WebApp demo\n",
			"Then each Event names it: found this is not so, in WebApp demo",
		},
		"a count of what passes a filter": {
			`at "Then all Pods are ready behind it" (assert discovery.k8s.io/v1/EndpointSlice @ ns/*): ` +
				"(length(endpoints[?conditions.ready] || `[]`) == $wanted): Invalid value: false: Expected value: true",
			"failed at: Then all Pods are ready behind it\n  expected: length(endpoints[?conditions.ready] || []) == $wanted\n  found:    this is not so, in EndpointSlice\n",
			"Then all Pods are ready behind it: found this is not so, in EndpointSlice",
		},
		"labels that match a selector": {
			`at "Then it selects no Pods of the other" (assert v1/Service @ ns/demo): spec.(label_match(selector, $other.spec.template.metadata.labels)): ` +
				`Invalid value: true: Expected value: false`,
			"failed at: Then it selects no Pods of the other\n  expected: spec.(label_match(selector, $other.spec.template.metadata.labels)) = false\n  found:    true, in Service demo\n",
			"Then it selects no Pods of the other: found this is not so, in Service demo",
		},
		"two fields that differ": {
			`at "Then it reaches this generation" (assert apps.kubedojo.io/v1beta1/WebApp @ ns/demo): (metadata.generation == status.observedGeneration): ` +
				`Invalid value: false: Expected value: true`,
			"failed at: Then it reaches this generation\n  expected: metadata.generation and status.observedGeneration are the same\n  found:    they differ, in WebApp demo\n",
			"Then it reaches this generation: expected metadata.generation and status.observedGeneration are the same; found they differ, in WebApp demo",
		},
		"a field that must be there": {
			`at "When its Pods are gone" (assert apps/v1/Deployment @ ns/demo): metadata.(deletionTimestamp != null): Invalid value: false: Expected value: true; where deletionTimestamp is not there`,
			"failed at: When its Pods are gone\n  expected: a value in metadata.deletionTimestamp\n  found:    none, in Deployment demo\n",
			"When its Pods are gone: expected a value in metadata.deletionTimestamp; found none, in Deployment demo",
		},
		"a field that must not be there": {
			`at "Then it stays" (assert apps/v1/Deployment @ ns/demo): metadata.(deletionTimestamp == null): Invalid value: false: Expected value: true; where deletionTimestamp is "2026"`,
			"failed at: Then it stays\n  expected: no metadata.deletionTimestamp\n  found:    \"2026\", in Deployment demo\n",
			"Then it stays: expected no metadata.deletionTimestamp; found \"2026\", in Deployment demo",
		},
		"a field of chosen entries": {
			`at "Then the port follows" (assert apps/v1/StatefulSet @ ns/demo): spec.template.spec.(containers[?name == 'web'])[0].` +
				`(ports[?contains(['8080', '9090'], to_string(containerPort))].containerPort)[0]: Invalid value: 8080: Expected value: 9090`,
			"failed at: Then the port follows\n  expected: spec.template.spec.containers[name=web].ports.containerPort = 9090\n  found:    8080, in StatefulSet demo\n",
			"Then the port follows: expected spec.template.spec.containers[name=web].ports.containerPort = 9090; found 8080, in StatefulSet demo",
		},
		"two fields that differ, with their values": {
			`at "Then its Pods are ready" (assert apps/v1/Deployment @ ns/demo): (spec.replicas == status.readyReplicas): Invalid value: false: Expected value: true; ` +
				"where spec.replicas is 3 and status.readyReplicas is not there; (metadata.generation == status.observedGeneration): Invalid value: false: Expected value: true; " +
				"where metadata.generation is 2 and status.observedGeneration is 1",
			"failed at: Then its Pods are ready\n  expected: spec.replicas and status.readyReplicas are the same\n  found:    spec.replicas is 3 and status.readyReplicas is not there, in Deployment demo\n" +
				"  expected: metadata.generation and status.observedGeneration are the same\n  found:    metadata.generation is 2 and status.observedGeneration is 1, in Deployment demo\n",
			"Then its Pods are ready: expected spec.replicas and status.readyReplicas are the same; found spec.replicas is 3 and status.readyReplicas is not there, in Deployment demo; and 1 more",
		},
		"an invariant": {
			`at "Then nothing was refused" (assert reconform.dev/v1alpha1/Subject @ ns/subject): status.(violations[?rule == 'Forbidden'].message || []): ` +
				`Invalid value: ["subject-0 has no right"]: lengths of slices don't match`,
			"failed at: Then nothing was refused\n  expected: no violation of Forbidden\n  found:    subject-0 has no right\n",
			"Then nothing was refused: expected no violation of Forbidden; found subject-0 has no right",
		},
		"many requests": {
			`at "Then no write has changed anything" (assert reconform.dev/v1alpha1/Traffic @ ns/t): Traffic t is not as expected: expected at most 10 effective writes, ` +
				`found 18 in 9.5s: #44 create deployments demo (effective); #45 create services demo (effective); and 16 more; most often: 12 × update webapps/status demo (effective), 4 × update deployments demo (effective)`,
			"failed at: Then no write has changed anything\n  expected: at most 10 effective writes (that change something)\n  found:    18\n" +
				"reason: counted in 9.5s: #44 create deployments demo (effective); " +
				"#45 create services demo (effective); and 16 more; most often: 12 × update webapps/status demo (effective), 4 × update deployments demo (effective)\n",
			"Then no write has changed anything: expected at most 10 effective writes (that change something); found 18 in 9.5s: most often 12 × update webapps/status demo (effective), 4 × update deployments demo (effective)",
		},
		"a long rule": {
			`at "Then no status said so" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"` + strings.Repeat("new.a > old.a && ", 10) + `true", seen: demo at resourceVersion 7 {"a":1}`,
			"failed at: Then no status said so\n  expected: that this never happens: " + strings.Repeat("new.a > old.a && ", 10) + "true\n" +
				"  found:    demo at resourceVersion 7 {\"a\":1}\n",
			`Then no status said so: found demo at resourceVersion 7 {"a":1}`,
		},
		"what the bench says in its own words": {
			`at "Then it ends in time" (assert reconform.dev/v1alpha1/Disruption @ ns/d): Disruption d is not as expected: subject-0 had not ended after 30s; ` +
				`expected: within 15s; it relies on what was not judged here: RC-001`,
			"reason: at \"Then it ends in time\" (assert reconform.dev/v1alpha1/Disruption @ ns/d): Disruption d is not as expected: subject-0 had not ended after 30s; " +
				"expected: within 15s; it relies on what was not judged here: RC-001\n",
			"Then it ends in time: subject-0 had not ended after 30s; expected: within 15s",
		},
		"an object of the bench": {
			`at "Then it stays" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected "new == null", seen: demo at resourceVersion 7`,
			"failed at: Then it stays\n  expected: that it is never gone\n  found:    it was gone; last seen: demo at resourceVersion 7\n",
			"Then it stays: expected that it is never gone; found it was gone; last seen: demo at resourceVersion 7",
		},
		"entries of a long expression": {
			"at \"Then each gauge goes down again\" (assert reconform.dev/v1alpha1/Observation @ ns/metrics): status.(items(endpoint.gauges || `{}`, 'gauge', 'value') | " +
				"[? to_string(value) == to_string(sum([to_number(to_string(lookup($noted, gauge) || `0`)), `60`])) && to_string(lookup($noted, gauge) || `0`) != '1']): " +
				`Invalid value: [{"gauge":"webapp_known","value":70}]: lengths of slices don't match`,
			"failed at: Then each gauge goes down again\n  expected: no entry\n  found:    1 entry: {\"gauge\":\"webapp_known\",\"value\":70}, in Observation metrics\n",
			`Then each gauge goes down again: expected no entry; found 1 entry: {"gauge":"webapp_known","value":70}, in Observation metrics`,
		},
		"an object that must never be": {
			`at "Then nothing was created" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected "new != null", seen: demo-2 at resourceVersion 7 {"a":1}`,
			"failed at: Then nothing was created\n  expected: none, at any time\n  found:    demo-2 at resourceVersion 7\n",
			"Then nothing was created: expected none, at any time; found demo-2 at resourceVersion 7",
		},
		"the value of the field of a rule": {
			`at "Then it is as it was" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"new == null || new.metadata.generation != 1", seen: demo at resourceVersion 7 {"metadata":{"generation":2},"spec":{"a":"b; c"}… (3 bytes left out); ` +
				`demo at resourceVersion 9 {"spec":{}}; and 2 more; what came true of it: new.metadata.generation != 1`,
			"failed at: Then it is as it was\n  expected: that this never happens: metadata.generation is not 1\n" +
				"  found:    metadata.generation is 2, of demo at resourceVersion 7; demo at resourceVersion 9; and 2 more\n",
			"Then it is as it was: expected that this never happens: metadata.generation is not 1; found metadata.generation is 2, of demo at resourceVersion 7; demo at resourceVersion 9; and 2 more",
		},
		"a type that is there twice": {
			`at "Then they are valid" (assert apps.kubedojo.io/v1beta1/WebApp @ ns/demo): status.(values(group_by(conditions || ` + "`[]`" + `, &type))[?length(@) > ` + "`1`" + `][].type): Invalid value: ["Ready","Ready"]: lengths of slices don't match`,
			"failed at: Then they are valid\n  expected: each only once\n  found:    2 entries: \"Ready\",\"Ready\"\n",
			`Then they are valid: expected each only once; found 2 entries: "Ready","Ready"`,
		},
		"numbers of requests": {
			`at "Then it is quiet" (assert reconform.dev/v1alpha1/Traffic @ ns/t): Traffic t is not as expected: expected no effective writes, found 2 in 5s: ` +
				`#1 create services demo (effective); #2 update services demo (effective); it relies on what was not judged here: RC-001`,
			"failed at: Then it is quiet\n  expected: no effective writes (that change something)\n  found:    2\n" +
				"reason: counted in 5s: #1 create services demo (effective); #2 update services demo (effective); this requirement relies on what was not judged here: RC-001\n",
			"Then it is quiet: expected no effective writes (that change something); found 2 in 5s: #1 create services demo (effective); #2 update services demo (effective)",
		},
		"a time to the nanosecond": {
			`at "Then it comes" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new.spec.replicas == 2" within 40.356463074s, seen at the end: nothing`,
			"failed at: Then it comes\n  expected: spec.replicas is 2\n  found:    no such object\n",
			"Then it comes: expected spec.replicas is 2 within 40.4s; found no such object",
		},
		"the part of a rule that was broken, and not the whole objects": {
			`at "Then it was never changed" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"new == null || new.spec != first.spec || new.metadata.?ownerReferences.orValue([]) != first.metadata.?ownerReferences.orValue([])", seen: ` +
				`demo at resourceVersion 7 {"spec":{"a":"b; c"}… (3 characters left out) …"c"}}; demo at resourceVersion 9 {"spec":{}}; and 2 more; what came true of it: ` +
				`new.spec != first.spec; it relies on what was not judged here: RC-001`,
			"failed at: Then it was never changed\n  expected: that this never happens: spec changes\n  found:    it happened: demo at resourceVersion 7; demo at resourceVersion 9; and 2 more\n" +
				"reason: this requirement relies on what was not judged here: RC-001\n",
			"Then it was never changed: expected that this never happens: spec changes; found it happened: demo at resourceVersion 7; demo at resourceVersion 9; and 2 more",
		},
		"a rule with a condition": {
			`at "Then it is the same" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"old != null && (new == null || new.metadata.generation != old.metadata.generation)", seen: demo at resourceVersion 7 {"a":1}`,
			"failed at: Then it is the same\n  expected: that this never happens: it is gone, or metadata.generation changes\n  found:    it happened: demo at resourceVersion 7\n",
			"Then it is the same: expected that this never happens: it is gone, or metadata.generation changes; found it happened: demo at resourceVersion 7",
		},
		"a rule with a condition, and what came true of it": {
			`at "Then it is the same" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected ` +
				`"old != null && (new == null || new.metadata.generation != old.metadata.generation)", seen: demo at resourceVersion 7 {"metadata":{"generation":3}}; ` +
				`what came true of it: old != null && new.metadata.generation != old.metadata.generation`,
			"failed at: Then it is the same\n  expected: that this never happens: metadata.generation changes\n  found:    metadata.generation is 3, of demo at resourceVersion 7\n",
			"Then it is the same: expected that this never happens: metadata.generation changes; found metadata.generation is 3, of demo at resourceVersion 7",
		},
		"what must never happen comes first": {
			`ForeignObject: subject-0 updated services demo, which nobody owns (#28); the scenario failed at "Then it was never changed" ` +
				`(assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected "new == null", seen: demo at resourceVersion 7 {"a":1}`,
			"reason: ForeignObject: subject-0 updated services demo, which nobody owns (#28)\n" +
				"failed at: Then it was never changed\n  expected: that it is never gone\n  found:    it was gone; last seen: demo at resourceVersion 7\n",
			"Then it was never changed: ForeignObject: subject-0 updated services demo, which nobody owns (#28)",
		},
		"a request that must be refused": {
			`at "Then too few are refused" (create apps.kubedojo.io/v1beta1/WebApp @ ns/demo): (to_string($error != null && contains($error, 'spec.replicas') || $error)): ` +
				`Invalid value: "null": Expected value: "true"`,
			"failed at: Then too few are refused\n  expected: the API server refuses it, with a message that names spec.replicas\n  found:    it was accepted\n",
			"Then too few are refused: expected the API server refuses it, with a message that names spec.replicas; found it was accepted",
		},
		"counted requests": {
			`at "Then it writes nothing" (assert reconform.dev/v1alpha1/Traffic @ ns/t): Traffic t is not as expected: expected no requests, found 3 in 2.2s: ` +
				`#44 create deployments demo (refused); #45 create services demo (refused); and 1 more`,
			"failed at: Then it writes nothing\n  expected: no requests\n  found:    3\n" +
				"reason: counted in 2.2s: #44 create deployments demo (refused); #45 create services demo (refused); and 1 more\n",
			"Then it writes nothing: expected no requests; found 3 in 2.2s: #44 create deployments demo (refused); #45 create services demo (refused)",
		},
		"more requests than were allowed": {
			`at "Then it changed nothing" (assert reconform.dev/v1alpha1/Traffic @ ns/t): Traffic t is not as expected: expected at most 2 effective writes, found 4 in 4.1s: ` +
				`#24 create deployments demo (effective); #25 create services demo (refused); #26 create services demo (effective); #35 update deployments demo (effective); and 1 more`,
			"failed at: Then it changed nothing\n  expected: at most 2 effective writes (that change something)\n  found:    4\n" +
				"reason: counted in 4.1s: #24 create deployments demo (effective); " +
				"#25 create services demo (refused); #26 create services demo (effective); #35 update deployments demo (effective); and 1 more\n",
			"Then it changed nothing: expected at most 2 effective writes (that change something); found 4 in 4.1s: …; #35 update deployments demo (effective)",
		},
		"what did not come": {
			`at "Then it tries until it succeeds" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: ` +
				`expected "new != null && new.spec.replicas == 2" within 1m40s, seen at the end: nothing`,
			"failed at: Then it tries until it succeeds\n  expected: spec.replicas is 2\n  found:    no such object\n",
			"Then it tries until it succeeds: expected spec.replicas is 2 within 1m40s; found no such object",
		},
		"an object that has no status": {
			`at "Given the controller" (assert reconform.dev/v1alpha1/Subject @ ns/subject): status: Required value: field not found in the input object`,
			"failed at: Given the controller\n  expected: a status\n  found:    none, in Subject subject\n",
			"Given the controller: expected a status; found none, in Subject subject",
		},
		"an object without labels": {
			`at "Then it is there" (assert apps/v1/Deployment @ ns/demo): metadata.labels: Required value: field not found in the input object`,
			"failed at: Then it is there\n  expected: labels\n  found:    none, in Deployment demo\n",
			"Then it is there: expected labels; found none, in Deployment demo",
		},
		"an annotation of a template": {
			`at "Then it is there" (assert apps/v1/Deployment @ ns/demo): spec.template.metadata.annotations.example.com/note: Required value: field not found in the input object`,
			"failed at: Then it is there\n  expected: the annotation example.com/note of spec.template\n  found:    none, in Deployment demo\n",
			"Then it is there: expected the annotation example.com/note of spec.template; found none, in Deployment demo",
		},
		"an annotation whose key is quoted": {
			`at "Then it is there" (assert apps/v1/Deployment @ ns/demo): spec.template.metadata.(annotations."example.com/note" != null): Invalid value: false: Expected value: true`,
			"failed at: Then it is there\n  expected: the annotation example.com/note of spec.template\n  found:    none, in Deployment demo\n",
			"Then it is there: expected the annotation example.com/note of spec.template; found none, in Deployment demo",
		},
		"a field that is not there": {
			`at "Then it is set" (assert apps/v1/Deployment @ ns/demo): spec.paused: Required value: field not found in the input object`,
			"failed at: Then it is set\n  expected: a value in spec.paused\n  found:    none, in Deployment demo\n",
			"Then it is set: expected a value in spec.paused; found none, in Deployment demo",
		},
		"what did not come, and is not in words": {
			`at "Then another one takes its place" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: ` +
				`expected "new != null && new.metadata.uid != first.metadata.uid && new.spec.?selector == first.spec.?selector" within 45s, seen at the end: nothing`,
			"failed at: Then another one takes its place\n" +
				"  expected: new != null && new.metadata.uid != first.metadata.uid && new.spec.?selector == first.spec.?selector\n  found:    no such object\n",
			"Then another one takes its place: found none after 45s",
		},
		"a drift": {
			`at "Then each field comes back" (assert reconform.dev/v1alpha1/Drift @ ns/d): Drift d is not as expected: the fields that the controller set of deployments.apps demo: ` +
				`expected: each comes back; found: 2 of 11 not so (others left out: 7): metadata.labels (changed from "f(x)" to "b", and not back after 10s; never written), also spec.replicas`,
			"failed at: Then each field comes back\n  expected: the fields that the controller set of deployments.apps demo: each comes back\n" +
				"  found:    2 of 11 not so (others left out: 7): metadata.labels (changed from \"f(x)\" to \"b\", and not back after 10s; never written), also spec.replicas\n",
			`Then each field comes back: expected each comes back; ` +
				`found 2 of 11 not so (others left out: 7): metadata.labels (changed from "f(x)" to "b", and not back after 10s; never written), also spec.replicas`,
		},
		"nothing that is understood": {
			`at "Then x" (script): exit status 1`, "reason: at \"Then x\" (script): exit status 1\n", `at "Then x" (script): exit status 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.Result{Reason: tc.reason}
			if diff := cmp.Diff(tc.want, Reason(r)); diff != "" {
				t.Errorf("reason (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.brief, Brief(r)); diff != "" {
				t.Errorf("in brief (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBriefByTheEvidence: the evidence says what the requests show, instead of
// versions, and does not repeat the reason.
func TestBriefByTheEvidence(t *testing.T) {
	const changed = "the controller changed deployments demo: spec.replicas from 5 to 2 (#7)"
	never := func(rule string) string {
		return `at "Then it stays" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: never expected "` + rule +
			`", seen: demo at resourceVersion 7 {"spec":{"replicas":2}}; demo at resourceVersion 9 {"spec":{"replicas":2}}`
	}
	goesOn := v1alpha1.Symptom{State: v1alpha1.Refused, Seen: "the controller goes on trying to update webapps demo, and that is refused each time"}
	for name, tc := range map[string]struct {
		reason   string
		evidence v1alpha1.Evidence
		brief    string
		besides  []string
	}{
		"a rule in words": {
			never("new != null && new.spec.replicas == 2"),
			v1alpha1.Evidence{Happened: changed, Before: []string{"before that, #6 was answered with 409"}, Symptoms: []v1alpha1.Symptom{{Seen: "the same"}}},
			"Then it stays: expected that this never happens: spec.replicas is 2; found: " + changed,
			[]string{"before that, #6 was answered with 409"},
		},
		"a rule that is not said in words": {
			never("new.status.exists(c, c.x == 1)"), v1alpha1.Evidence{Happened: changed}, "Then it stays: " + changed, nil,
		},
		"an order": {
			`at "Then it was first" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new != null" after ` +
				`"new != null && new.metadata.?finalizers.orValue([]).exists(f, f != 'a')", was true at resourceVersion 618, and the other not before 646`,
			v1alpha1.Evidence{Happened: "the controller created a (#1) before it added b (#2)"},
			"Then it was first: the controller created a (#1) before it added b (#2)", nil,
		},
		"what is refused each time stands on a line of its own": {
			`at "Then it comes back" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new != null" within 45s, ` +
				`seen at the end: nothing; the controller goes on trying to update webapps demo, and that is refused each time (InternalError: a; b, #162 the last)` +
				`; the subject ended by itself: subject-0: x`,
			v1alpha1.Evidence{Symptoms: []v1alpha1.Symptom{{Seen: "deployments demo is not there"}, {Seen: "another"}, goesOn}},
			"Then it comes back: found none after 45s; the subject ended by itself: subject-0: x",
			[]string{"seen: deployments demo is not there", "seen: " + goesOn.Seen},
		},
		"what did not come, in no words": {
			`at "Then it goes" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "!new.metadata.x.exists(f, f != 'a')" within 45s, ` +
				`seen at the end: demo {"metadata":{"finalizers":["a","b"]}}`,
			v1alpha1.Evidence{},
			`Then it goes: found after 45s metadata.finalizers is ["a","b"], in demo`, nil,
		},
		"watches that stay open, beside an invariant": {
			`HotLoop: subject-0 repeated watch of deployments.apps 201 times in 2.2s (#1); the scenario failed at "Then no more are open" ` +
				`(assert reconform.dev/v1alpha1/Traffic @ ns/t): Traffic t is not as expected: expected at most 6 open watches, found 403 (398 of deployments.apps, 1 of services) in 3.1s`,
			v1alpha1.Evidence{},
			"Then no more are open: HotLoop: subject-0 repeated watch of deployments.apps 201 times in 2.2s (#1); " +
				"expected at most 6 open watches, found 403 (398 of deployments.apps, 1 of services)", nil,
		},
		"conditions that did not become what they must be": {
			`at "Then it says so" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new.status.conditions.exists(c, c.a == 'b')" within 40s, ` +
				`seen at the end: demo {"status":{"conditions":[{"lastTransitionTime":"t","message":"a; b","reason":"R","status":"False","type":"Available"},` +
				`{"message":"a; b","reason":"R","status":"True","type":"Degraded"},{"status":"True","type":"Synced"}]}}`,
			v1alpha1.Evidence{},
			`Then it says so: found after 40s status.conditions: Available False and Degraded True, reason "R", message "a; b"; Synced True, in demo`, nil,
		},
		"many values": {
			`at "Then it goes" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: expected "new.a == new.b" within 45s, ` +
				`seen at the end: demo {"a":{},"b":1,"c":2,"d":3,"e":4}`,
			v1alpha1.Evidence{},
			`Then it goes: found after 45s demo {"a":{},"b":1,"c":2,"d":3,"e":4}`, nil,
		},
		"an entry that must not be there, by an expression": {
			`at "Then the URL names the new port" (assert v1/WebApp @ ns/demo): status.([serviceURL || ''] | [?!regex_match($url, @)]): Invalid value: ["http://demo:8080"]: lengths of slices don't match`,
			v1alpha1.Evidence{},
			`Then the URL names the new port: found what must not be there: "http://demo:8080", in WebApp demo`, nil,
		},
		"a field that is not there": {
			`at "Then it is there" (assert apps/v1/Deployment @ ns/demo): metadata.labels.example.com/second: Required value: field not found in the input object` +
				`; it relies on what was not judged here: IS-006`,
			v1alpha1.Evidence{},
			"Then it is there: expected the label example.com/second; found none, in Deployment demo", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.brief, Brief(&v1alpha1.Result{Reason: tc.reason, Evidence: &tc.evidence})); diff != "" {
				t.Errorf("in brief (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.besides, InBrief(&tc.evidence)); diff != "" {
				t.Errorf("besides (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReasonByTheEvidence: of a rule that is not said in words, what happened is what was found,
// and not the objects.
func TestReasonByTheEvidence(t *testing.T) {
	r := v1alpha1.Result{
		Reason: `at "Then they stay" (assert reconform.dev/v1alpha1/Observation @ ns/o): Observation o is not as expected: ` +
			`never expected "new.a.map(o, o.uid) != first.a.map(o, o.uid)", seen: demo at resourceVersion 7 {"a":[{"uid":1}]}; and 11 more`,
		Evidence: &v1alpha1.Evidence{Happened: "the controller changed deployments demo: a[0].uid from 2 to 1 (#4)"},
	}
	want := "failed at: Then they stay\n  expected: that this never happens: new.a.map(o, o.uid) != first.a.map(o, o.uid)\n" +
		"  found:    the controller changed deployments demo: a[0].uid from 2 to 1 (#4)\n"
	if diff := cmp.Diff(want, Reason(&r)); diff != "" {
		t.Errorf("reason (-want +got):\n%s", diff)
	}
}

// TestSignsInValues: what a text in an object says is no part of the reason.
func TestSignsInValues(t *testing.T) {
	const found = `{"code":200,"contentType":"text/plain; version=0.0.4; charset=utf-8","note":"say \"a; b\"","reads":45}`
	for name, tc := range map[string]struct{ rest, want string }{
		"at the end":  {"", ""},
		"with a rest": {"; the controller goes on trying to create it", "reason: the controller goes on trying to create it\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.Result{Reason: `at "Then it counts them" (assert reconform.dev/v1alpha1/Observation @ ns/retries): Observation retries is not as expected: ` +
				`expected "new.reads > 50" within 45s, seen at the end: ` + found + tc.rest}
			want := "failed at: Then it counts them\n  expected: reads > 50\n  found:    " + found + "\n" + tc.want
			if diff := cmp.Diff(want, Reason(r)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestSeen: what the message says already is not said again as a symptom.
func TestSeen(t *testing.T) {
	created := "the controller created events demo.1 (#7)"
	for name, tc := range map[string]struct {
		evidence v1alpha1.Evidence
		want     string
	}{
		"the same":       {v1alpha1.Evidence{Happened: created, Symptoms: []v1alpha1.Symptom{{Seen: created}}, Before: []string{"before that"}}, created + "\nbefore that"},
		"something else": {v1alpha1.Evidence{Happened: created, Symptoms: []v1alpha1.Symptom{{Seen: "another"}}}, created + "\nanother"},
		"of a step that proves nothing": {
			v1alpha1.Evidence{Violations: []v1alpha1.Violation{{Rule: v1alpha1.RuleCrashed}}, Symptoms: []v1alpha1.Symptom{{Seen: "another"}}, Before: []string{"before that"}}, "before that",
		},
		"beside an invariant": {
			v1alpha1.Evidence{Catches: "drift", Violations: []v1alpha1.Violation{{Rule: v1alpha1.RuleCrashed}}, Symptoms: []v1alpha1.Symptom{{Seen: "another"}}}, "another",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Seen(&tc.evidence)); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMistake: a requirement that relies on one that was not judged does not name its own
// usual mistake alone.
func TestMistake(t *testing.T) {
	for reason, want := range map[string]string{
		"at x: it is wrong": "immutable selector",
		"at x: it is wrong; it relies on what was not judged here: RC-004, RC-005": "immutable selector; or what RC-004, RC-005 would find, not judged here",
	} {
		if got := Mistake(&v1alpha1.Result{Reason: reason, Evidence: &v1alpha1.Evidence{Catches: "immutable selector"}}); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
	wrote := &v1alpha1.Evidence{Catches: "overwrites metadata", Symptoms: []v1alpha1.Symptom{{State: v1alpha1.Written}}}
	if got := Mistake(&v1alpha1.Result{Reason: "at x; it relies on what was not judged here: RC-005", Evidence: wrote}); got != "overwrites metadata" {
		t.Errorf("its own write: %q", got)
	}
	if got := Mistake(&v1alpha1.Result{Evidence: &v1alpha1.Evidence{}}); got != "" {
		t.Errorf("without a mistake: %q", got)
	}
}
