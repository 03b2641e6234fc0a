package seen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// at some seconds of the scenario.
func at(seconds float64) time.Time {
	return time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// numbered gives requests and events the numbers that their times imply, and each
// request a tenth of a second for its answer.
func numbered(requests []history.Request, events []history.Event) history.Account {
	number := func(t time.Time) int64 { return t.Sub(at(0)).Milliseconds() }
	for i := range requests {
		r := &requests[i]
		r.Seq, r.Replica, r.Finished, r.Duration = number(r.Time), "subject-0", true, metav1.Duration{Duration: 100 * time.Millisecond}
	}
	for i := range events {
		events[i].Seq = number(events[i].Time)
		if events[i].Replica == "" {
			events[i].Replica = "subject-0"
		}
	}
	return history.Account{Scenario: "s", Requests: requests, Events: events}
}

func TestShown(t *testing.T) {
	contract := invariant.Contract{
		Primary: schema.GroupResource{Group: "example.com", Resource: "sites"}, Kind: "Site", Workload: schema.GroupResource{Group: "apps", Resource: "deployments"},
		Exempt: []v1alpha1.Exemption{{Resources: []string{"configmaps"}, Verbs: []string{"watch"}}},
	}
	event := func(name string) history.Request {
		return history.Request{Verb: "create", Method: "POST", Resource: "events", Name: name, Code: 201, Effect: history.EffectEffective}
	}
	lease := history.Request{
		Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Name: "lock", Code: 200, ResourceVersion: "1", Finished: true,
	}
	for name, tc := range map[string]struct {
		request history.Request
		want    []v1alpha1.Feature
	}{
		"a Service":       {history.Request{Verb: "create", Resource: "services", Code: 201, Effect: history.EffectEffective}, []v1alpha1.Feature{"service"}},
		"refused":         {history.Request{Verb: "create", Resource: "services", Code: 403, Effect: history.EffectRefused}, nil},
		"an Event":        {event("demo.1"), []v1alpha1.Feature{"events"}},
		"an election's":   {event("lock.1"), nil},
		"a status":        {history.Request{Verb: "update", Group: "example.com", Resource: "sites", Code: 200, StatusFields: []string{"conditions", "url"}}, []v1alpha1.Feature{"conditions"}},
		"another's":       {history.Request{Verb: "update", Group: "apps", Resource: "deployments", Code: 200, StatusFields: []string{"conditions"}}, nil},
		"a finalizer":     {history.Request{Verb: "update", Group: "example.com", Resource: "sites", Code: 200, Finalizers: []string{"x"}}, []v1alpha1.Feature{"finalizer"}},
		"a watch":         {history.Request{Verb: "watch", Group: "apps", Resource: "deployments", Code: 200}, []v1alpha1.Feature{"child-cache"}},
		"an apply":        {history.Request{Verb: "update", Group: "apps", Resource: "deployments", Code: 200, Apply: true}, []v1alpha1.Feature{"foreign-fields"}},
		"an own child":    {history.Request{Verb: "create", Resource: "pods", Code: 201, Owners: []history.Owner{{Kind: "Site", Controller: true}}}, []v1alpha1.Feature{"controller-ref"}},
		"a ConfigMap":     {history.Request{Verb: "get", Method: "GET", Resource: "configmaps", Name: "c", Code: 200}, []v1alpha1.Feature{"dependency"}},
		"the cluster's":   {history.Request{Verb: "get", Method: "GET", Resource: "configmaps", Name: clusterCA, Code: 200}, nil},
		"an exempt watch": {history.Request{Verb: "watch", Method: "GET", Resource: "configmaps", Code: 200}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			shown := Shown(contract, history.Account{Requests: []history.Request{lease, tc.request}})
			delete(shown, "leader-election")
			var got []v1alpha1.Feature
			for feature := range shown {
				got = append(got, feature)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("features shown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	write := func(seconds float64, code int) history.Request {
		return history.Request{Time: at(seconds), Verb: "create", Resource: "services", Name: "demo", Code: code}
	}
	lease := func(seconds float64, replica, holder string) history.Request {
		return history.Request{
			Time: at(seconds), Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Name: "lock",
			Code: 200, ResourceVersion: "1", Holder: holder, Message: replica,
		}
	}
	event := func(seconds float64, reason string) history.Event {
		return history.Event{Time: at(seconds), Reason: reason}
	}
	for name, tc := range map[string]struct {
		measure  func(history.Account) time.Duration
		requests []history.Request
		events   []history.Event
		want     time.Duration
	}{
		"retries":       {retryPause, []history.Request{write(1, 500), write(2, 500), write(4, 201), write(20, 500)}, nil, 1900 * time.Millisecond},
		"there already": {retryPause, []history.Request{write(1, 409), write(9, 201)}, nil, 0},
		"started again": {retryPause, []history.Request{write(1, 500), write(9, 201)}, []history.Event{event(5, history.ReplicaStarted)}, 0},
		"renewals":      {renewal, []history.Request{lease(1, "", "a"), lease(3, "", "a"), lease(4, "", ""), lease(9, "", "a")}, nil, 1900 * time.Millisecond},
		"a renewal after a pause": {
			renewal,
			[]history.Request{lease(1, "", "a"), lease(3, "", "a"), lease(20, "", "a")},
			[]history.Event{event(4, history.DisruptionDone)},
			1900 * time.Millisecond,
		},
		"takeover": {takeover, []history.Request{lease(1, "", "a"), lease(9, "subject-1", "b")}, nil, 7900 * time.Millisecond},
		"released": {takeover, []history.Request{lease(1, "", ""), lease(9, "subject-1", "b")}, nil, 0},
		"cut off": {
			givingUp,
			[]history.Request{lease(1, "", "a")},
			[]history.Event{event(2, history.ReplicaPartitioned), event(11, history.ReplicaCrashed)},
			9900 * time.Millisecond,
		},
		"ended otherwise": {givingUp, []history.Request{lease(1, "", "a")}, []history.Event{event(11, history.ReplicaCrashed)}, 0},
		"silence": {silence, []history.Request{write(8, 201)}, []history.Event{
			{Time: at(1), Reason: history.ReplicaPartitioned, Message: "packets are lost"}, event(5, history.ReplicaHealed),
		}, 3 * time.Second},
		"a mere partition": {silence, []history.Request{write(8, 201)}, []history.Event{event(1, history.ReplicaPartitioned), event(5, history.ReplicaHealed)}, 0},
		"shutdown": {shutdown, nil, []history.Event{
			{Time: at(1), Reason: history.ReplicaTerminated, Took: metav1.Duration{Duration: 2 * time.Second}},
			{Time: at(2), Reason: history.ReplicaCrashed, Took: metav1.Duration{Duration: 9 * time.Second}},
		}, 2 * time.Second},
		"starts": {start, []history.Request{write(2, 201), write(9, 201)}, []history.Event{
			event(1, history.ReplicaStarted), event(5, history.ReplicaStarted), event(8, history.ReplicaStarted),
		}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			account := numbered(tc.requests, tc.events)
			for i := range account.Requests {
				if r := &account.Requests[i]; r.Message != "" {
					r.Replica, r.Message = r.Message, ""
				}
			}
			if got := tc.measure(account); got != tc.want {
				t.Errorf("measured %s, want %s", got, tc.want)
			}
		})
	}
}

// TestRun: three claims are removed from the profile of the reference, and a run sees
// that they hold.
func TestRun(t *testing.T) {
	p, err := profile.Load("../../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p.Spec.Claims.Features = without(p.Spec.Claims.Features, "events", "service", "bounds", "health")
	p.Spec.Contract.Bounds, p.Spec.Contract.Children.Service = v1alpha1.Bounds{}, nil
	run := Recorded{Profile: p, Title: func(string) string { return "RC-001" }, Accounts: []history.Account{numbered([]history.Request{
		{Time: at(1), Verb: "create", Resource: "services", Name: "demo", Code: 201, Effect: history.EffectEffective},
		{Time: at(2), Verb: "create", Resource: "events", Name: "demo.1", Code: 201, Effect: history.EffectEffective},
	}, []history.Event{{Time: at(1), Reason: history.PageServed, Object: history.HealthPage, Message: "/healthz on its port health"}})}}
	want := []v1alpha1.SeenButUnclaimed{
		{Feature: "bounds", Seen: "the CRD has, for spec.port, the minimum 1 and the maximum 65535", Add: "claims.features: [bounds], and contract.bounds.replicas or contract.bounds.port"},
		{Feature: "events", Seen: "#2000 create events demo.1, in RC-001", Add: "claims.features: [events]"},
		{Feature: "health", Seen: "it serves /healthz on its port health", Add: "claims.features: [health]"},
		{Feature: "service", Seen: "#1000 create services demo, in RC-001", Add: "claims.features: [service], and contract.children.service"},
	}
	if diff := cmp.Diff(want, run.Unclaimed()); diff != "" {
		t.Errorf("seen and not claimed (-want +got):\n%s", diff)
	}
	declared := map[string]time.Duration{}
	for _, m := range run.Times() {
		if m.Declared != nil {
			declared[m.Name] = m.Declared.Duration
		}
	}
	if diff := cmp.Diff(map[string]time.Duration{
		"longestRetryPause": 30 * time.Second, "resync": 10 * time.Hour, "silence": time.Minute, "shutdownGrace": 15 * time.Second,
		"lease.duration": 15 * time.Second, "lease.renewDeadline": 10 * time.Second, "lease.retryPeriod": 2 * time.Second,
	}, declared); diff != "" {
		t.Errorf("declared times (-want +got):\n%s", diff)
	}
}

func without(features []v1alpha1.Feature, some ...v1alpha1.Feature) []v1alpha1.Feature {
	var left []v1alpha1.Feature
	for _, f := range features {
		taken := false
		for _, s := range some {
			taken = taken || f == s
		}
		if !taken {
			left = append(left, f)
		}
	}
	return left
}

// TestDependency: a ConfigMap that the controller makes itself is not a dependency, and neither
// are the reads that serve it.
func TestDependency(t *testing.T) {
	made := history.Request{Verb: "create", Method: "POST", Resource: "configmaps", Name: "own", Code: 201, Effect: history.EffectEffective}
	read := func(verb, name string) history.Request {
		return history.Request{Verb: verb, Method: "GET", Resource: "configmaps", Name: name, Code: 200}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     bool
	}{
		"a watch":                          {[]history.Request{read("watch", "")}, true},
		"a watch of its own":               {[]history.Request{read("watch", ""), made}, false},
		"a read of its own":                {[]history.Request{made, read("get", "own")}, false},
		"a read of another beside its own": {[]history.Request{made, read("watch", ""), read("get", "settings")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, shown := Shown(invariant.Contract{}, history.Account{Requests: tc.requests})[v1alpha1.FeatureDependency]
			if shown != tc.want {
				t.Errorf("the feature dependency is shown: %t; want %t", shown, tc.want)
			}
		})
	}
}
