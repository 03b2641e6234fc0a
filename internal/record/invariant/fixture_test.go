package invariant_test

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

const scenario = "reconform-sh-001"

// contract of the reference, with its default lease.
func contract() invariant.Contract {
	return invariant.Contract{
		Primary:  schema.GroupResource{Group: "apps.kubedojo.io", Resource: "webapps"},
		Kind:     "WebApp",
		Children: []schema.GroupResource{{Group: "apps", Resource: "deployments"}, {Resource: "services"}, {Group: "batch", Resource: "jobs"}},
		Renamed:  []schema.GroupResource{{Group: "apps", Resource: "deployments"}},
		Events:   true,
		Unowned:  v1alpha1.OwnershipRefuse,
		Home:     func(namespace string) string { return namespace + "-home" },
		Lease: func(namespace string) (types.NamespacedName, bool) {
			return types.NamespacedName{Namespace: namespace, Name: "lock"}, true
		},
		RenewDeadline: 10 * time.Second,
		Belief:        13 * time.Second,
	}
}

// story is what happens in a test, each thing a second after the one before unless it
// says otherwise.
type story struct {
	requests []history.Request
	events   []history.Event
	seq      int64
	now      time.Time
}

func began(election bool) *story {
	s := &story{now: time.Unix(1000, 0)}
	s.event(history.Event{Reason: history.SubjectStarted, Election: election})
	return s
}

func (s *story) after(d time.Duration) *story {
	s.now = s.now.Add(d - time.Second)
	return s
}

func (s *story) event(e history.Event) *story {
	s.seq++
	s.now = s.now.Add(time.Second)
	e.Seq, e.Time, e.Scenario = s.seq, s.now, scenario
	s.events = append(s.events, e)
	return s
}

func (s *story) replica(reason, name string) *story {
	return s.event(history.Event{Reason: reason, Replica: name, Message: "exited with status 1"})
}

// request that succeeded, unless it says otherwise. Its resourceVersion is its number,
// unless it has one.
func (s *story) request(r history.Request) *story {
	s.seq++
	s.now = s.now.Add(time.Second)
	r.Seq, r.Time, r.Scenario, r.Finished = s.seq, s.now, scenario, true
	if r.Replica == "" {
		r.Replica = "subject-0"
	}
	if r.Code == 0 {
		r.Code = 200
	}
	if r.ResourceVersion == "" {
		r.ResourceVersion = strconv.FormatInt(s.seq, 10)
	}
	s.requests = append(s.requests, r)
	return s
}

func (s *story) lease(replica, holder string) *story {
	return s.request(history.Request{
		Replica: replica, Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
		Namespace: scenario, Name: "lock", Holder: holder, Effect: history.EffectEffective,
	})
}

func (s *story) write(replica string) *story {
	r := effective(history.VerbUpdate)
	r.Replica = replica
	return s.request(r)
}

func (s *story) account() history.Account {
	return history.Account{Scenario: scenario, Requests: s.requests, Events: s.events}
}

func (s *story) record() *invariant.View {
	return invariant.NewView(contract(), s.account())
}

func mine() []history.Owner {
	return []history.Owner{{Kind: "WebApp", Name: "demo", UID: "w", Controller: true}}
}

// effective write of a Deployment of the controller's own.
func effective(verb string) history.Request {
	return history.Request{
		Verb: verb, Group: "apps", Resource: "deployments", Namespace: scenario, Name: "demo",
		UID: "d", Owners: mine(), Effect: history.EffectEffective,
	}
}
