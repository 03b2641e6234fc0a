package verdict

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// toldOf returns a scenario with what was recorded in it, for sentences about it.
func toldOf(happened ...any) *Case {
	c := &Case{Contract: invariant.Contract{
		Primary:  schema.GroupResource{Group: "apps.kubedojo.io", Resource: "webapps"},
		Children: []schema.GroupResource{{Group: "apps", Resource: "deployments"}, {Resource: "services"}},
	}}
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n, one := range happened {
		at := began.Add(time.Duration(n) * time.Second)
		switch one := one.(type) {
		case history.Request:
			one.Seq, one.Time = int64(n+1), at
			if one.Replica == "" {
				one.Replica = "subject-0"
			}
			c.Account.Requests = append(c.Account.Requests, one)
		case history.Event:
			one.Seq, one.Time = int64(n+1), at
			c.Account.Events = append(c.Account.Events, one)
		}
	}
	return c
}

// of returns a request for the Deployment demo, with an effect. Its fields can be changed.
func of(verb, version string, change ...func(*history.Request)) history.Request {
	r := history.Request{
		Verb: verb, Group: "apps", Resource: "deployments", Name: "demo", UID: "d", ResourceVersion: version, Code: 200, Effect: history.EffectEffective,
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func webApp(r *history.Request) {
	r.Group, r.Resource, r.UID = "apps.kubedojo.io", "webapps", "w"
}

func changing(path, was, is string) func(*history.Request) {
	return func(r *history.Request) {
		r.Changed = append(r.Changed, path)
		r.Values = append(r.Values, history.Change{Path: path, Was: was, Is: is})
	}
}

func answered(code int, reason string) func(*history.Request) {
	return func(r *history.Request) { r.Code, r.Reason, r.Effect = code, reason, history.EffectRefused }
}

func began(step string) history.Event { return history.Event{Reason: history.StepBegan, Message: step} }

const (
	deploymentsOf = "deployments.apps"
	webAppsOf     = "webapps.apps.kubedojo.io"
)

// TestHappened: the message says with which requests the controller caused what an
// Observation has seen.
func TestHappened(t *testing.T) {
	failed := history.Event{Reason: history.StepFailed}
	broke := func(resource string, v v1alpha1.ObservedViolation) chainsaw.Measured {
		v.Name = "demo"
		return chainsaw.Measured{Kind: "Observation", Resource: resource, Violation: &v}
	}
	inOrder := func(early, late v1alpha1.ObservedVersion) chainsaw.Measured {
		early.Name, late.Name = "demo", "demo"
		return chainsaw.Measured{Kind: "Observation", Resource: early.Resource, Order: &v1alpha1.ObservedOrder{Early: early, Late: late}}
	}
	made := v1alpha1.ObservedVersion{Resource: deploymentsOf, UID: "d", ResourceVersion: "5"}
	kept := v1alpha1.ObservedVersion{Resource: webAppsOf, UID: "w", ResourceVersion: "7"}
	for name, tc := range map[string]struct {
		happened []any
		of       chainsaw.Measured
		want     string
	}{
		"a child before the finalizer": {
			[]any{of("create", "5"), of("update", "7", webApp, changing("metadata.finalizers", `["hold"]`, `["hold","cleanup"]`)), failed},
			inOrder(made, kept),
			"the controller created deployments demo (#1) before it added the finalizer cleanup to webapps demo (#2)",
		},
		"the finalizer off before a child is deleted": {
			[]any{of("update", "7", webApp, changing("metadata.finalizers", `["hold","cleanup"]`, `["hold"]`)), of("delete", ""), failed},
			inOrder(kept, v1alpha1.ObservedVersion{Resource: deploymentsOf, UID: "d", ResourceVersion: "9", Deleted: true}),
			"the controller took the finalizer cleanup off webapps demo (#1) before it deleted deployments demo (#2)",
		},
		"an order that the requests do not show": {[]any{of("create", "4"), failed}, inOrder(made, kept), ""},
		"a value is set back": {
			[]any{of("update", "9", changing("spec.replicas", "5", "2"), func(r *history.Request) { r.Replica = "subject-1" }), of("create", "1"), failed},
			broke(deploymentsOf, v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9"}),
			"subject-1 changed deployments demo: spec.replicas from 5 to 2 (#1)",
		},
		"an Event that tells what must not be told": {
			[]any{of("create", "9", func(r *history.Request) { r.Group, r.Resource, r.EventReason = "events.k8s.io", "events", "Failed" }), failed},
			broke("events.events.k8s.io", v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9"}),
			"the controller created an Event with the reason Failed (#1)",
		},
		"of many fields, the one that the rule reads": {
			[]any{
				of("update", "9", changing("metadata.labels.a", `"x"`, `"y"`), changing("metadata.labels.b", `"x"`, ""), changing("spec.replicas", "5", "2")), failed,
			},
			broke(deploymentsOf, v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9", Changed: []string{"spec.replicas from 5 to 2"}}),
			"the controller changed deployments demo: spec.replicas from 5 to 2 (#1)",
		},
		"the finalizers of all are taken off": {
			[]any{
				of("update", "8", webApp, changing("metadata.finalizers", `["hold","cleanup"]`, ""), func(r *history.Request) { r.Freed = true }), failed,
			},
			broke(webAppsOf, v1alpha1.ObservedViolation{UID: "w", ResourceVersion: "9", Deleted: true}),
			"the controller took the finalizers hold and cleanup off webapps demo, which was being deleted: it is gone (#1)",
		},
		"finalizers that were taken off before did not delete it": {
			[]any{of("update", "8", webApp, changing("metadata.finalizers", `["cleanup"]`, "")), failed},
			broke(webAppsOf, v1alpha1.ObservedViolation{UID: "w", ResourceVersion: "9", Deleted: true}),
			"webapps demo was deleted, and not by a request of the controller",
		},
		"another object of the name was deleted": {
			[]any{of("delete", "", func(r *history.Request) { r.UID = "before" }), failed},
			broke(deploymentsOf, v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9", Deleted: true}),
			"deployments demo was deleted, and not by a request of the controller",
		},
		"deleted, and made anew": {
			[]any{of("delete", "", func(r *history.Request) { r.UID = "before" }), of("create", "9"), failed},
			broke(deploymentsOf, v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9", Changed: []string{`spec.selector.matchLabels.v from "1" to "2"`}}),
			`the controller created deployments demo (#2), with spec.selector.matchLabels.v from "1" to "2"; it had deleted the one before (#1)`,
		},
		"somebody else changed it": {
			[]any{of("create", "1"), failed},
			broke(deploymentsOf, v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9", Changed: []string{"spec.replicas from 2 to 7"}}),
			"somebody else changed deployments demo: spec.replicas from 2 to 7",
		},
		"what the bench says of the subject": {
			[]any{failed},
			broke("subjects.reconform.dev", v1alpha1.ObservedViolation{UID: "s", ResourceVersion: "9", Changed: []string{"status.replicas[0].readyz from false to true"}}),
			"the bench saw this of subjects demo: status.replicas[0].readyz from false to true",
		},
		"it is not known who changed what": {
			[]any{of("create", "1"), failed}, broke(deploymentsOf, v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "9"}), "",
		},
		"an Event, recorded in its other group": {
			[]any{of("create", "5", func(r *history.Request) { r.Group, r.Resource = "events.k8s.io", "events" }), failed},
			broke("events", v1alpha1.ObservedViolation{UID: "d", ResourceVersion: "5"}),
			"the controller created events demo (#1)",
		},
		"what an endpoint answered": {[]any{failed}, broke("", v1alpha1.ObservedViolation{}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := toldOf(tc.happened...).happened(chainsaw.Failure{Of: tc.of})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("what happened (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBefore: the message names requests that were refused before, and the last write
// of the object, but of no other object.
func TestBefore(t *testing.T) {
	failed := history.Event{Reason: history.StepFailed}
	fault := func(r *history.Request) { r.Fault = "deny" }
	status := func(r *history.Request) { webApp(r); r.Subresource = "status" }
	service := func(r *history.Request) { r.Group, r.Resource = "", "services" }
	assert := chainsaw.Failure{Operation: "assert", Object: "apps/v1/Deployment @ ns/demo"}
	for name, tc := range map[string]struct {
		happened   []any
		failure    chainsaw.Failure
		violations []v1alpha1.Violation
		at         int64
		known      []v1alpha1.Symptom
		want       []string
	}{
		"the last write is of that object": {
			[]any{began("When it changes"), of("update", "2", changing("spec.replicas", "2", "3")), of("update", "3", status), failed},
			assert, nil, 0, nil,
			[]string{"its last write of that object: the controller changed deployments demo: spec.replicas from 2 to 3 (#2), 2s before the failure"},
		},
		"the last write is from before the change": {
			[]any{of("create", "1"), began("When it changes"), of("update", "3", status), failed},
			assert, nil, 0, nil,
			[]string{"the controller has not written deployments demo after the last change of the scenario; its last write was #1, 3s before the failure"},
		},
		"it never wrote it":      {[]any{began("When it changes"), of("update", "3", status), failed}, assert, nil, 0, nil, []string{"the controller has not written deployments demo"}},
		"the symptom says it":    {[]any{failed}, assert, nil, 0, []v1alpha1.Symptom{{State: v1alpha1.NotWritten}}, nil},
		"no object":              {[]any{of("create", "1"), failed}, chainsaw.Failure{Operation: "script"}, nil, 0, nil, nil},
		"an object of the bench": {[]any{failed}, chainsaw.Failure{Operation: "assert", Object: "reconform.dev/v1alpha1/Fault @ ns/demo"}, nil, 0, nil, nil},
		"a child could not be read": {
			[]any{began("When it is deleted"), of("get", "", service, answered(500, "InternalError"), fault), of("update", "3", webApp), failed},
			chainsaw.Failure{Of: chainsaw.Measured{Kind: "Observation", Resource: webAppsOf, Name: "demo", Violation: &v1alpha1.ObservedViolation{Name: "demo"}}},
			nil, 3, nil,
			[]string{"before that, #2 get services demo was answered with 500, by the Fault deny"},
		},
		"what failed after it, or before the change, or what fails in every controller": {
			[]any{
				of("update", "", answered(409, "Conflict")), began("When it is deleted"), of("get", "", answered(404, "NotFound")),
				of("update", "", status, answered(409, "Conflict")), of("update", "3"), of("update", "", answered(409, "Conflict")), failed,
			},
			chainsaw.Failure{Of: chainsaw.Measured{Kind: "Observation", Resource: deploymentsOf, Violation: &v1alpha1.ObservedViolation{Name: "demo"}}},
			nil, 5, nil,
			nil,
		},
		"a child's conflict by a Fault, before a status": {
			[]any{began("When it changes"), of("update", "", answered(409, "Conflict"), fault), of("update", "3", status), failed},
			chainsaw.Failure{Of: chainsaw.Measured{Kind: "Observation", Resource: webAppsOf, Violation: &v1alpha1.ObservedViolation{Name: "demo"}}},
			nil, 3, nil,
			[]string{"before that, #2 update deployments demo was answered with 409, by the Fault deny"},
		},
		"an update that was tried again with success": {
			[]any{began("When it changes"), of("update", "", answered(409, "Conflict")), of("update", "3"), failed},
			assert, nil, 0,
			[]v1alpha1.Symptom{{State: v1alpha1.NotWritten}},
			nil,
		},
		"an update failed before a violation": {
			[]any{
				began("When the port is changed"), of("update", "", answered(409, "Conflict")), of("update", "", answered(409, "Conflict")), of("delete", ""), failed,
			},
			chainsaw.Failure{},
			[]v1alpha1.Violation{{Rule: "ChildReplaced", Requests: []int64{4}}},
			0, nil,
			[]string{"before that, #3 update deployments demo was answered with 409 Conflict; 1 more had failed"},
		},
		"an update failed before a violation, and the scenario did more after it": {
			[]any{
				began("When the port is changed"), of("update", "", answered(409, "Conflict")), of("delete", ""), began("Then it follows"), began("When time passes"), failed,
			},
			chainsaw.Failure{},
			[]v1alpha1.Violation{{Rule: "ChildReplaced", Requests: []int64{3}}},
			0, nil,
			[]string{"before that, #2 update deployments demo was answered with 409 Conflict"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := toldOf(tc.happened...).before(tc.failure, tc.violations, tc.at, tc.known)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("what was before (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSilence: if a write is missing, the message says what the controller sent
// instead.
func TestSilence(t *testing.T) {
	failed := history.Event{Reason: history.StepFailed}
	change := began("When it changes")
	field := wrong{resource: deploymentsOf, name: "demo", what: differs, path: "spec.replicas"}
	absent := wrong{resource: deploymentsOf, name: "demo", what: missing}
	left := wrong{resource: deploymentsOf, name: "demo", what: present}
	const notSo = "spec.replicas of deployments.apps demo is not as it must be"
	for name, tc := range map[string]struct {
		happened []any
		about    wrong
		want     string
	}{
		"nothing at all": {[]any{of("create", "1"), change, failed}, field, notSo + "; the controller sent no request in the 1s after the change"},
		"nothing for it": {[]any{change, of("update", "2", webApp), failed}, field, notSo + "; the controller sent no request for it in the 2s after the change"},
		"only before that": {
			[]any{of("update", "", answered(504, "Timeout")), change, of("update", "2", webApp), failed},
			field,
			notSo + "; the controller sent no request for it in the 2s after the change; its last attempt before that failed (#1 update deployments demo: 504)",
		},
		"it was read":       {[]any{change, of("get", "", func(r *history.Request) { r.Effect = history.EffectNone }), failed}, field, notSo + "; the controller read it, and did not write it in the 2s after the change"},
		"another field":     {[]any{change, of("update", "2", changing("spec.paused", "", "true")), failed}, field, notSo + "; after the change the controller wrote the object (#2), and did not change this field"},
		"only its creation": {[]any{change, of("create", "2"), failed}, field, notSo + "; after the change the controller created the object (#2), and did not change this field later"},
		"as it was":         {[]any{change, of("update", "2", func(r *history.Request) { r.Effect = history.EffectNoop }), failed}, field, notSo + "; after the change the controller wrote the object as it was (#2)"},
		"the object is invalid": {
			[]any{change, of("update", "", answered(422, "Invalid"), func(r *history.Request) { r.Message = "it is invalid:\n  uid: must not be empty" }), failed},
			field, notSo + "; the only attempt to write the object failed (#2 update deployments demo: 422: it is invalid: uid: must not be empty)",
		},
		"a Fault refuses it": {
			[]any{change, of("update", "", answered(422, "Invalid"), func(r *history.Request) { r.Message, r.Fault = "by the scenario", "invalid" }), failed},
			field, notSo + "; the only attempt to write the object failed (#2 update deployments demo: 422)",
		},
		"the write failed": {[]any{change, of("update", "", answered(422, "Invalid")), failed}, field, notSo + "; the only attempt to write the object failed (#2 update deployments demo: 422)"},
		"it was written before": {
			[]any{change, of("update", "2", changing("spec.paused", "", "true")), of("update", "", answered(409, "Conflict")), failed},
			field, notSo + "; the last attempt to write the object failed (#3 update deployments demo: 409)",
		},
		"it wrote it so": {[]any{change, of("update", "2", changing("spec.replicas", "3", "2")), failed}, field, "the controller changed spec.replicas of deployments.apps demo itself (#2: spec.replicas from 3 to 2)"},
		"the only attempt": {
			[]any{change, of("create", "", answered(500, "InternalError")), failed},
			absent, "deployments.apps demo is not there: it was never made; the only attempt to create it failed (#2 create deployments demo: 500)",
		},
		"two attempts": {
			[]any{change, of("create", "", answered(500, "InternalError")), of("create", "", answered(503, "ServiceUnavailable")), failed},
			absent, "deployments.apps demo is not there: it was never made; the last of 2 attempts to create it failed (#3 create deployments demo: 503)",
		},
		"not made again": {[]any{of("create", "1"), change, failed}, absent, "deployments.apps demo is not there: it was made (#1), and not made again; the controller sent no request in the 1s after the change"},
		"what the scenario did last counts": {
			[]any{change, of("create", "1"), began("When it is deleted"), history.Event{Reason: history.ScenarioActed}, began("When time passes"), failed},
			absent,
			"deployments.apps demo is not there: it was made (#2), and not made again; the controller sent no request in the 3s after the change",
		},
		"the object of another namespace": {
			[]any{change, of("update", "2", changing("spec.replicas", "7", "3"), func(r *history.Request) { r.Namespace = "b" }), failed},
			wrong{resource: deploymentsOf, namespace: "a", name: "demo", what: differs, path: "spec.replicas"},
			notSo + "; the controller sent no request for it in the 2s after the change",
		},
		"a finalizer that it added": {
			[]any{of("update", "2", webApp, changing("metadata.finalizers", "", `["x"]`)), change, failed},
			wrong{resource: webAppsOf, name: "demo", what: differs, path: "metadata.finalizers"},
			"the controller changed metadata.finalizers of webapps.apps.kubedojo.io demo itself (#1 added the finalizer x to it)",
		},
		"an earlier object of that name had it": {
			[]any{of("update", "1", changing("metadata.ownerReferences", "", `["x"]`)), of("create", "2"), change, failed},
			wrong{resource: deploymentsOf, name: "demo", what: differs, path: "metadata.ownerReferences"},
			"metadata.ownerReferences of deployments.apps demo is not as it must be; the controller sent no request in the 1s after the change",
		},
		"it was taken off this one": {
			[]any{of("create", "1"), of("update", "2", changing("metadata.ownerReferences", `["x"]`, "")), change, failed},
			wrong{resource: deploymentsOf, name: "demo", what: differs, path: "metadata.ownerReferences"},
			`the controller changed metadata.ownerReferences of deployments.apps demo itself (#2: metadata.ownerReferences from ["x"] to nothing)`,
		},
		"another object was made since": {
			[]any{
				of("update", "1", changing("metadata.ownerReferences", `["x"]`, "")),
				of("create", "2", func(r *history.Request) { r.Name = "other" }), change, failed,
			},
			wrong{resource: deploymentsOf, name: "demo", what: differs, path: "metadata.ownerReferences"},
			`the controller changed metadata.ownerReferences of deployments.apps demo itself (#1: metadata.ownerReferences from ["x"] to nothing)`,
		},
		"it serves something else": {
			[]any{of("get", "", func(r *history.Request) { r.Resource = "configmaps" }), change, failed},
			wrong{resource: deploymentsOf, name: "demo", what: missing},
			"deployments.apps demo is not there: it was never made; the controller has never asked for webapps.apps.kubedojo.io",
		},
		"it serves that, and did nothing": {
			[]any{of("list", "", webApp), change, failed},
			wrong{resource: deploymentsOf, name: "demo", what: missing},
			"deployments.apps demo is not there: it was never made; the controller sent no request in the 1s after the change",
		},
		"it is left": {[]any{of("create", "1"), change, failed}, left, "deployments.apps demo is there, and must not be; the controller sent no request to delete it"},
		"written too often": {
			[]any{change, of("update", "2", changing("spec.replicas", "7", "3")), of("update", "3", changing("spec.replicas", "3", "7")), of("update", "", answered(409, "Conflict")), failed},
			wrong{resource: deploymentsOf, name: "demo", what: repeated, wrote: true},
			"the controller wrote deployments.apps demo too often; the last time it changed spec.replicas from 3 to 7 (#3)",
		},
		"woken by its own status": {
			[]any{
				change, of("create", "", answered(403, "Forbidden")), of("update", "2", webApp), of("create", "", answered(403, "Forbidden")), of("update", "3", webApp),
				of("create", "", answered(403, "Forbidden")), of("update", "4", webApp), of("create", "", answered(403, "Forbidden")), failed,
			},
			wrong{resource: deploymentsOf, name: "demo", what: repeated},
			"the controller asked for deployments.apps demo too often; meanwhile it changed webapps.apps.kubedojo.io 3 times, and each such change may wake it again",
		},
		"written, with values": {
			[]any{change, of("update", "2", changing("spec.replicas", "7", "3")), failed},
			wrong{resource: deploymentsOf, name: "demo", what: written, path: "spec.replicas"},
			"the controller wrote spec.replicas of deployments.apps demo: spec.replicas from 7 to 3 (#2)",
		},
		"deleted": {
			[]any{change, of("delete", ""), failed},
			wrong{resource: deploymentsOf, name: "demo", what: written},
			"the controller deleted deployments.apps demo",
		},
		"created again": {
			[]any{of("update", "2"), change, of("create", "3"), failed},
			wrong{resource: deploymentsOf, name: "demo", what: written},
			"the controller created deployments.apps demo",
		},
		"created and updated": {
			[]any{change, of("create", "2"), of("update", "3"), failed},
			wrong{resource: deploymentsOf, name: "demo", what: written},
			"the controller wrote deployments.apps demo",
		},
		"only a time": {
			[]any{change, of("update", "2", changing("metadata.annotations.checked", `"10:00"`, `"10:01"`)), failed},
			wrong{resource: deploymentsOf, name: "demo", what: echoed},
			`the controller wrote deployments.apps demo, though nothing in it changed but times; the last time it changed metadata.annotations.checked from "10:00" to "10:01" (#2)`,
		},
		"a Pod, and no other template": {
			[]any{change, of("update", "2", changing("spec.replicas", "7", "3")), failed},
			wrong{resource: "pods", name: "demo-1", what: present},
			"pods demo-1 is there, and must not be; a Deployment replaces its Pods if their template changes, and the controller has not changed the template since",
		},
		"a Pod, and another template": {
			[]any{change, of("update", "2", changing("spec.template.spec.containers[0].image", "a", "b")), failed},
			wrong{resource: "pods", name: "demo-1", what: present},
			"pods demo-1 is there, and must not be; the controller changed the Pod template of deployments.apps demo (#2)",
		},
		"a Pod of what was deleted": {
			[]any{change, history.Event{Reason: history.ScenarioActed, Message: "kubectl delete webapp/demo"}, failed},
			wrong{resource: "pods", name: "demo-1", what: present},
			"pods demo-1 is there, and must not be",
		},
		"what was deleted": {
			[]any{change, history.Event{Reason: history.ScenarioActed, Message: "delete WebApp demo"}, failed},
			wrong{resource: webAppsOf, name: "demo", what: present},
			"webapps.apps.kubedojo.io demo is there, and must not be; it was deleted, and stays while a finalizer is left, of its own or of a child",
		},
		"what was deleted, steps ago": {
			[]any{
				history.Event{Reason: history.ScenarioActed, Message: "kubectl delete webapp/demo --wait=false"},
				began("Then it stays"),
				began("When a finalizer goes"), began("Then it goes"), failed,
			},
			wrong{resource: webAppsOf, name: "demo", what: present},
			"webapps.apps.kubedojo.io demo is there, and must not be; it was deleted, and stays while a finalizer is left, of its own or of a child",
		},
		"another was deleted": {
			[]any{change, history.Event{Reason: history.ScenarioActed, Message: "delete WebApp other"}, failed},
			wrong{resource: webAppsOf, name: "demo", what: present},
			"webapps.apps.kubedojo.io demo is there, and must not be; the controller sent no request to delete it",
		},
		"its deletion failed": {[]any{of("create", "1"), change, of("delete", "", answered(500, "InternalError")), failed}, left, "deployments.apps demo is there, and must not be; the controller's last request to delete it failed (#3: 500)"},
		"made anew":           {[]any{of("delete", ""), of("create", "1"), change, failed}, left, "deployments.apps demo is there, and must not be; the controller sent no request to delete it"},
		"all were deleted":    {[]any{of("create", "1"), change, of("delete", "", func(r *history.Request) { r.Name = "" }), failed}, left, "deployments.apps demo is there, and must not be; the controller asked for its deletion (#3)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := toldOf(tc.happened...).symptom(tc.about).Seen
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("the symptom in words (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotTooOften: what was sent once is not said to be too often, if something else was sent
// more often. It stays a symptom, because it was counted.
func TestNotTooOften(t *testing.T) {
	service := func(r *history.Request) { r.Resource, r.Group = "services", "" }
	c := toldOf(of("create", "1"), of("create", "2", service), of("update", "3"), of("update", "4"))
	found := c.inTraffic("Traffic t is not as expected: expected at most 2 effective writes, found 4 in 5s: #1 create deployments demo (effective); " +
		"#2 create services demo (effective); #3 update deployments demo (effective); #4 update deployments demo (effective)")
	var got []string
	for _, w := range found {
		s := c.symptom(w)
		if s.State != v1alpha1.Repeated {
			t.Errorf("%s: %s", s.Seen, s.State)
		}
		if got = append(got, s.Seen); w.once != (s.Resource == "services") {
			t.Errorf("%s: once = %v", s.Resource, w.once)
		}
	}
	want := "one of the requests that were counted was for services demo, and others were more"
	if diff := cmp.Diff(want, got[len(got)-1]); diff != "" {
		t.Errorf("what is said last (-want +got):\n%s", diff)
	}
}

// TestTooOften: if several objects of a kind were written too often, the message names
// none of them.
func TestTooOften(t *testing.T) {
	other := func(r *history.Request) { r.Name = "demo-2" }
	c := toldOf(of("create", "1"), of("create", "2", other), of("create", "", answered(409, "AlreadyExists")))
	found := c.inTraffic("Traffic t is not as expected: expected at most 1 effective writes, found 2 in 5s: #1 create deployments demo (effective); " +
		"#2 create deployments demo-2 (effective); #3 create deployments demo (refused)")
	var got []string
	for _, w := range found {
		got = append(got, c.symptom(w).Seen)
	}
	want := []string{"the controller wrote deployments.apps too often", "the controller wrote deployments.apps too often"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is wrong (-want +got):\n%s", diff)
	}
}
