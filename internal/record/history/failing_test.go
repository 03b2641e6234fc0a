package history_test

import (
	"cmp"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/record/history"
)

// TestFailing: the recorder says for how long, and how often, the requests of the
// subjects have failed.
func TestFailing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		sites := schema.GroupResource{Group: "example.com", Resource: "sites"}
		send := func(resource, name string, code int, fault string) {
			request := history.Request{Scenario: "s", Verb: history.VerbUpdate, Resource: resource, Name: name, Fault: fault}
			if resource == sites.Resource {
				request.Group = sites.Group
			}
			recorder.Begin(request).Finish(func(r *history.Request) { r.Code = code })
			time.Sleep(time.Second)
		}
		if long, times := recorder.Failing("s", sites, time.Now(), time.Now()); long != 0 || times != 0 {
			t.Errorf("before there is a request: %s, %d", long, times)
		}
		send("sites", "demo", 200, "")
		send("sites", "demo-2", 200, "")
		for range 2 {
			send("services", "web-demo", 500, "")
		}
		recorder.Begin(history.Request{Scenario: "s", Verb: history.VerbCreate, Resource: "services", Name: "web-demo"}).
			Finish(func(r *history.Request) { r.Effect, r.Code, r.Reason = history.EffectRefused, 409, "AlreadyExists" }) // somebody else's
		time.Sleep(time.Second)
		for range 2 {
			send("services", "demo-2-web", 409, "")
		}
		send("configmaps", "shared", 403, "")
		// What a controller asks for or deletes, and what is not there, is not a failure.
		for _, verb := range []string{history.VerbGet, history.VerbDelete} {
			recorder.Begin(history.Request{Scenario: "s", Verb: verb, Resource: "configmaps", Name: "demo-extra"}).
				Finish(func(r *history.Request) { r.Code = 404 })
		}
		// Neither is a create of what the controller has made before.
		for _, answer := range []history.Request{
			{Effect: history.EffectEffective, Code: 201},
			{Effect: history.EffectRefused, Code: 409, Reason: "AlreadyExists"},
		} {
			recorder.Begin(history.Request{Scenario: "s", Verb: history.VerbCreate, Resource: "secrets", Name: "demo-extra"}).
				Finish(func(r *history.Request) { r.Effect, r.Code, r.Reason = answer.Effect, answer.Code, answer.Reason })
		}
		began := time.Now()
		send("services", "web-demo", 200, "")
		send("services", "web-demo", 500, "fails")
		send("services", "web-demo", 500, "fails")
		for _, tc := range []struct {
			until time.Duration
			long  time.Duration
			times int
		}{
			{time.Second, 6 * time.Second, 4},     // three of demo, and one that is for nobody
			{2 * time.Second, 7 * time.Second, 5}, // until is included here: the first Fault
			{time.Minute, 8 * time.Second, 6},
		} {
			if long, times := recorder.Failing("s", sites, began, began.Add(tc.until)); long != tc.long || times != tc.times {
				t.Errorf("until %s: %s, %d; want %s, %d", tc.until, long, times, tc.long, tc.times)
			}
		}
	})
}

// TestFailingAnew: what failed before an object was served does not count any more.
func TestFailingAnew(t *testing.T) {
	sites := schema.GroupResource{Group: "example.com", Resource: "sites"}
	type answer struct {
		verb, resource string
		code           int
		pause          time.Duration // after it
	}
	const (
		s  = time.Second
		ok = 200
	)
	update, create := history.VerbUpdate, history.VerbCreate
	for name, tc := range map[string]struct {
		answers []answer
		long    time.Duration
		times   int
	}{
		"nothing has failed": {[]answer{{update, "services", ok, 5 * s}}, 6 * s, 0}, // it may fail without a request
		"it still fails":     {[]answer{{update, "services", 500, s}, {update, "services", 500, s}}, 2 * s, 2},
		"it is served now":   {[]answer{{update, "services", 500, s}, {update, "services", 500, s}, {update, "services", ok, 5 * s}}, 8 * s, 0},
		"and fails again":    {[]answer{{update, "services", 500, s}, {update, "services", 500, s}, {update, "services", ok, 5 * s}, {update, "services", 500, s}}, s, 1},
		"by another verb":    {[]answer{{update, "services", 404, s}, {create, "services", 201, 5 * s}, {update, "services", 500, s}}, s, 1},
		"the next one fails": {[]answer{{update, "deployments", 500, s}, {update, "deployments", ok, 0}, {update, "services", 500, s}}, 2 * s, 2},
		"its Events fail":    {[]answer{{create, "events", 403, s}, {create, "events", 403, s}}, 3 * s, 0},
		"two in an attempt":  {[]answer{{update, "services", 500, s}, {update, "pods", 500, s}, {update, "services", 500, s}, {update, "pods", 500, s}}, 4 * s, 2},
		"one, then another":  {[]answer{{update, "services", 500, s}, {update, "services", ok, 0}, {update, "pods", 500, s}, {update, "pods", ok, 0}}, 2 * s, 2},
		"two, of which one":  {[]answer{{update, "deployments", 500, s}, {update, "services", 500, s}, {update, "deployments", ok, 5 * s}}, 7 * s, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				send := func(a answer) {
					request := history.Request{Scenario: "s", Verb: a.verb, Resource: a.resource, Name: "demo"}
					if a.resource == sites.Resource {
						request.Group = sites.Group
					}
					recorder.Begin(request).Finish(func(r *history.Request) { r.Code = a.code })
					time.Sleep(a.pause)
				}
				send(answer{update, sites.Resource, ok, s})
				for _, a := range tc.answers {
					send(a)
				}
				if long, times := recorder.Failing("s", sites, time.Now(), time.Now()); long != tc.long || times != tc.times {
					t.Errorf("%s, %d; want %s, %d", long, times, tc.long, tc.times)
				}
			})
		})
	}
}

// TestLastFailure: what may end a reconcile counts, and a question for what is not there does
// not.
func TestLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder, began := history.New(nil, nil), time.Now()
		if got := recorder.LastFailure("s"); !got.IsZero() {
			t.Errorf("before there is a request: %s", got)
		}
		for _, request := range []struct {
			verb, resource string
			code           int
		}{
			{history.VerbCreate, "services", 500},
			{history.VerbUpdate, "services", 409},
			{history.VerbGet, "services", 404},
			{history.VerbCreate, "services", 201},
			{history.VerbCreate, "events", 403},
		} {
			time.Sleep(time.Second)
			recorder.Begin(history.Request{Scenario: "s", Verb: request.verb, Resource: request.resource}).
				Finish(func(r *history.Request) { r.Code = request.code })
		}
		if got := recorder.LastFailure("s").Sub(began); got != 2*time.Second {
			t.Errorf("the last failure was after %s, want that of the update", got)
		}
	})
}

// TestGeneratedNameIsTriedAgain: a create whose name the API server makes up has a name only
// when it succeeds. It is the same attempt all the same.
func TestGeneratedNameIsTriedAgain(t *testing.T) {
	sites := schema.GroupResource{Group: "example.com", Resource: "sites"}
	type answer struct {
		prefix, name string
		code         int
	}
	failed := answer{"demo-", "", 500}
	for name, tc := range map[string]struct {
		answers []answer
		owing   bool
		times   int // after the pause in which a whole reconcile has succeeded
	}{
		"it fails":              {[]answer{failed, failed}, true, 2},
		"it is tried again":     {[]answer{failed, {"demo-", "demo-x7k2p", 201}}, false, 0},
		"and another one, too":  {[]answer{failed, {"demo-", "demo-x7k2p", 201}, {"demo-", "demo-b9c4d", 201}}, false, 0},
		"another one succeeds":  {[]answer{failed, {"demo-other-", "demo-other-x7k2p", 201}}, true, 1},
		"one with a given name": {[]answer{failed, {"", "demo-x7k2p", 201}}, true, 1},
		"it fails after that":   {[]answer{{"demo-", "demo-x7k2p", 201}, failed}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				recorder.Begin(history.Request{Scenario: "s", Verb: history.VerbUpdate, Group: sites.Group, Resource: sites.Resource, Name: "demo"}).
					Finish(func(r *history.Request) { r.Code = 200 })
				for _, a := range tc.answers {
					given := a.name
					if a.prefix != "" {
						given = ""
					}
					recorder.Begin(history.Request{Scenario: "s", Verb: history.VerbCreate, Resource: "pods", Name: given, GenerateName: a.prefix}).
						Finish(func(r *history.Request) { r.Code, r.Name = a.code, a.name })
				}
				if got := recorder.IsOwing("s", 0); got != tc.owing {
					t.Errorf("owing: %t, want %t", got, tc.owing)
				}
				time.Sleep(5 * time.Second)
				if _, times := recorder.Failing("s", sites, time.Now(), time.Now()); times != tc.times {
					t.Errorf("%d failed attempts, want %d", times, tc.times)
				}
			})
		})
	}
}

// TestIsOwing: a request that failed is owed until one for the same object succeeds, or until
// a new process takes the place of the one that sent it.
func TestIsOwing(t *testing.T) {
	type sent struct {
		name, subresource, replica, fault, verb string
		code                                    int
	}
	started := sent{name: "start", replica: "one"}
	for name, tc := range map[string]struct {
		sent []sent
		want bool
	}{
		"nothing failed":              {[]sent{{name: "demo", code: 200}}, false},
		"a failure":                   {[]sent{{name: "demo", code: 500}}, true},
		"tried again":                 {[]sent{{name: "demo", code: 500}, {name: "demo", code: 201}}, false},
		"another object succeeds":     {[]sent{{name: "demo", code: 500}, {name: "other", code: 201}}, true},
		"its status succeeds":         {[]sent{{name: "demo", code: 500}, {name: "demo", subresource: "status", code: 200}}, true},
		"carried out by a Fault":      {[]sent{{name: "demo", code: 200, fault: "lost"}}, true},
		"it fails again":              {[]sent{{name: "demo", code: 500}, {name: "demo", code: 200}, {name: "demo", code: 409}}, true},
		"a new process":               {[]sent{{name: "demo", code: 500, replica: "one"}, started}, false},
		"a new process of another":    {[]sent{{name: "demo", code: 500, replica: "two"}, started}, true},
		"it fails in the new process": {[]sent{started, {name: "demo", code: 500, replica: "one"}}, true},
		"created blindly":             {[]sent{{name: "demo", code: 201, verb: "create"}, {name: "demo", code: 409, verb: "create"}}, false},
		"somebody else has created":   {[]sent{{name: "demo", code: 409, verb: "create"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			for _, s := range tc.sent {
				if s == started {
					recorder.Event(history.Event{Scenario: "s", Replica: s.replica, Reason: history.ReplicaStarted})
					continue
				}
				request := history.Request{Scenario: "s", Verb: cmp.Or(s.verb, history.VerbUpdate), Resource: "services", Name: s.name, Subresource: s.subresource, Replica: s.replica, Fault: s.fault}
				recorder.Begin(request).Finish(func(r *history.Request) {
					r.Code = s.code
					if s.code == 201 {
						r.Effect = history.EffectEffective
					} else if s.verb == history.VerbCreate {
						r.Reason = string(metav1.StatusReasonAlreadyExists)
					}
				})
			}
			if got := recorder.IsOwing("s", 0); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}
