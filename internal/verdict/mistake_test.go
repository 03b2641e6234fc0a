package verdict

import (
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestMistake: if the cause is a missing right, or an error that was swallowed, the finding
// says so, and not the mistake that the requirement exists to catch.
func TestMistake(t *testing.T) {
	began := time.Unix(1000, 0)
	write := func(verb, group, resource, subresource string, code int, reason string) history.Request {
		r := history.Request{
			Verb: verb, Group: group, Resource: resource, Subresource: subresource, Name: "demo", Code: code, Reason: reason,
			Effect: history.EffectEffective, Finished: true,
		}
		if code >= 400 {
			r.Effect = history.EffectRefused
		}
		if code == 403 {
			r.Message = `configmaps is forbidden: User "system:serviceaccount:ns:mine" cannot create resource "configmaps" in API group ""`
		}
		return r
	}
	status := func(code int, reason string) history.Request {
		return write("update", "apps.kubedojo.io", "webapps", "status", code, reason)
	}
	const ready = "* status.(readyReplicas || `0`): Invalid value: 0: Expected value: 2\n"
	const webapp = "apps.kubedojo.io/v1beta1/WebApp @ ns/demo"
	const deployment = "apps/v1/Deployment @ ns/demo"
	const missing = "  actual resource not found\n"
	ofStatus := catalogue.Requirement{Area: "status", Catches: "ready count copied from the spec"}
	violated := []v1alpha1.Violation{{Rule: v1alpha1.RuleForbidden, About: "create of deployments.apps"}}
	for name, tc := range map[string]struct {
		requirement     catalogue.Requirement
		object, message string
		requests        []history.Request
		violations      []v1alpha1.Violation
		failedAfter     time.Duration
		want            string
	}{
		"a status conflict, swallowed": {
			ofStatus, webapp, ready,
			[]history.Request{status(200, ""), status(409, "Conflict")},
			nil, time.Minute,
			"the last update of webapps.apps.kubedojo.io met a conflict, and was not tried again",
		},
		"an error, swallowed": {
			ofStatus, webapp, ready,
			[]history.Request{status(503, "ServiceUnavailable")},
			nil, time.Minute,
			"the last update of webapps.apps.kubedojo.io failed, and was not tried again",
		},
		"an attempt is due": {ofStatus, webapp, ready, []history.Request{status(409, "Conflict")}, nil, 2 * time.Second, ""},
		"tried again, with nothing left to write": {
			ofStatus, webapp, ready,
			[]history.Request{status(200, ""), status(409, "Conflict"), func() history.Request {
				r := status(200, "")
				r.Effect = history.EffectNoop
				return r
			}()},
			nil, time.Minute, "",
		},
		"a conflict where nothing was left to write": {
			ofStatus, webapp, ready,
			[]history.Request{status(200, ""), status(409, "Conflict"), func() history.Request {
				r := status(409, "Conflict")
				r.Moot = true
				return r
			}()},
			nil, time.Minute, "",
		},
		"a conflict after one where nothing was left to write": {
			ofStatus, webapp, ready,
			[]history.Request{status(200, ""), func() history.Request {
				r := status(409, "Conflict")
				r.Moot = true
				return r
			}(), status(409, "Conflict")},
			nil, time.Minute, "the last update of webapps.apps.kubedojo.io met a conflict, and was not tried again",
		},
		"the conflict was solved":  {ofStatus, webapp, ready, []history.Request{status(409, "Conflict"), status(200, "")}, nil, time.Minute, ""},
		"another object's write":   {ofStatus, webapp, ready, []history.Request{write("update", "apps", "deployments", "", 409, "Conflict")}, nil, time.Minute, ""},
		"it is there already":      {ofStatus, deployment, missing, []history.Request{write("create", "apps", "deployments", "", 409, "AlreadyExists")}, nil, time.Minute, ""},
		"it is about conflicts":    {catalogue.Requirement{Area: "cache-sync", Catches: "after a conflict, relies on an event"}, webapp, ready, []history.Request{status(409, "Conflict")}, nil, time.Minute, ""},
		"it is about such answers": {catalogue.Requirement{Area: "retries"}, webapp, ready, []history.Request{status(503, "")}, nil, time.Minute, ""},
		"a right outside the contract": {
			ofStatus, deployment, missing,
			[]history.Request{write("create", "", "configmaps", "", 403, "Forbidden")},
			nil, time.Minute,
			"the API server refused what this needs: no right to create configmaps",
		},
		"a right that is not needed for it": {
			ofStatus, deployment, missing,
			[]history.Request{write("create", "", "configmaps", "", 403, "Forbidden"), write("create", "apps", "deployments", "", 201, "")},
			nil, time.Minute, "",
		},
		"a right of the contract": {
			ofStatus, deployment, missing, nil, violated, time.Minute,
			"the API server refused what this needs: no right to create deployments.apps",
		},
		"it is about rights": {catalogue.Requirement{Judges: []string{v1alpha1.RuleForbidden}}, deployment, missing, nil, violated, time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Requirement: tc.requirement, Contract: contract(t)}
			for n, r := range tc.requests {
				r.Seq, r.Time = int64(n+1), began
				c.Account.Requests = append(c.Account.Requests, r)
			}
			c.Account.Events = []history.Event{{Seq: 100, Time: began.Add(tc.failedAfter), Reason: history.StepFailed}}
			failure := chainsaw.Failure{Step: "Then", Operation: "assert", Object: tc.object, Message: tc.message}
			f := &Finding{Verdict: v1alpha1.Failed, Failure: "at x", Violations: tc.violations, Symptoms: c.symptoms(failure)}
			got, hint := c.mistake(failure, f)
			if got != tc.want || (hint == "") != (tc.want == "") {
				t.Errorf("the mistake is %q, with the hint %q; want %q", got, hint, tc.want)
			}
		})
	}
}

// TestMetadataRemoved: what others set and the controller removed is named, whatever the
// requirement is about.
func TestMetadataRemoved(t *testing.T) {
	update := func(was, is string) history.Request {
		return history.Request{
			Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: "demo", Effect: history.EffectEffective, Code: 200,
			Values: []history.Change{{Path: "metadata.labels.example.com/team", Was: was, Is: is}},
		}
	}
	labels := v1alpha1.Symptom{Resource: "deployments.apps", Role: v1alpha1.RoleChild, State: v1alpha1.Written, Path: "metadata.labels"}
	image := v1alpha1.Symptom{Resource: "deployments.apps", Role: v1alpha1.RoleChild, State: v1alpha1.Written, Path: "spec.template.spec.containers.image"}
	const told = "the controller removes what others set: the label example.com/team of deployments.apps demo, which was \"blue\""
	for name, tc := range map[string]struct {
		symptoms []v1alpha1.Symptom
		home     bool
		requests []history.Request
		want     string
	}{
		"of others":              {[]v1alpha1.Symptom{labels}, false, []history.Request{update(`"blue"`, "")}, told},
		"its own":                {[]v1alpha1.Symptom{labels}, false, []history.Request{update("", `"blue"`), update(`"blue"`, "")}, ""},
		"changed, not removed":   {[]v1alpha1.Symptom{labels}, false, []history.Request{update(`"blue"`, `"red"`)}, ""},
		"beside something else":  {[]v1alpha1.Symptom{labels, image}, false, []history.Request{update(`"blue"`, "")}, ""},
		"what the row is about":  {[]v1alpha1.Symptom{labels}, true, []history.Request{update(`"blue"`, "")}, ""},
		"nothing of it recorded": {[]v1alpha1.Symptom{labels}, false, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{}
			if tc.home {
				c.Requirement.HomeOf = []catalogue.Home{{State: v1alpha1.Written, Path: "metadata.labels"}}
			}
			for n, r := range tc.requests {
				r.Seq = int64(n + 1)
				c.Account.Requests = append(c.Account.Requests, r)
			}
			if got := c.metadataRemoved(tc.symptoms); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
