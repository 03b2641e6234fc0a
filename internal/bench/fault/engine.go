package fault

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/record/history"
)

// Options of an Engine.
type Options struct {
	// Subjects knows which replica is the leader.
	Subjects subject.Subjects
	// Crasher kills replicas. It is nil if replicas cannot be killed.
	Crasher Crasher
	// Recorder records what happens to the Faults.
	Recorder *history.Recorder
}

// Engine knows the armed Faults, and carries them out. A bench has one Engine, and all its
// proxies use it. It is safe for use by many goroutines.
type Engine struct {
	options Options

	mu        sync.Mutex
	notify    func(types.NamespacedName)
	scenarios map[string]*scenario
}

// scenario holds the armed Faults of one namespace.
type scenario struct {
	// faults in the order in which they act. The slice is replaced, never changed.
	faults []*fault
	// changed is closed when a Fault is added, removed or exhausted.
	changed chan struct{}
}

// NewEngine makes an Engine without Faults.
func NewEngine(options Options) *Engine {
	return &Engine{options: options, scenarios: map[string]*scenario{}, notify: func(types.NamespacedName) {}}
}

// OnHit sets a function that is called after every hit, with the Fault's key. It is called
// during a request, so it must return at once.
func (e *Engine) OnHit(notify func(types.NamespacedName)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notify = notify
}

// Check says why a Fault can never act. It returns nil if it can.
func (e *Engine) Check(object *v1alpha1.Fault) error {
	_, err := e.newAction(object)
	return err
}

// Add arms a Fault. When it returns, the Fault acts or is Invalid. A Fault that is already
// armed is not changed. A deleted Fault with the same name is removed first.
func (e *Engine) Add(object *v1alpha1.Fault) {
	key := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	if present := e.find(key); present != nil {
		if present.uid == object.UID {
			return
		}
		e.Remove(key)
	}
	added := e.newFault(object)
	if added.invalid == "" {
		times := "once"
		if n := expected(added.spec); n != 1 {
			times = fmt.Sprintf("%d times", n)
		}
		e.record(added, history.FaultArmed, "has to fire "+times)
	} else {
		e.record(added, history.FaultInvalid, added.invalid)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.scenario(key.Namespace)
	s.faults = append(slices.Clone(s.faults), added)
	slices.SortStableFunc(s.faults, func(a, b *fault) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.key.Name, b.key.Name))
	})
	s.change()
}

// Remove disarms a Fault, if it is armed. When it returns, traffic is normal: the requests
// that the Fault held go on.
func (e *Engine) Remove(key types.NamespacedName) {
	e.mu.Lock()
	s := e.scenario(key.Namespace)
	at := slices.IndexFunc(s.faults, func(f *fault) bool { return f.key == key })
	if at < 0 {
		e.mu.Unlock()
		return
	}
	removed := s.faults[at]
	s.faults = slices.Delete(slices.Clone(s.faults), at, at+1)
	close(removed.removed)
	s.change()
	e.mu.Unlock()
	e.record(removed, EventRemoved, "")
}

// Status returns the status of a Fault. It returns false if the Fault was not added, or
// was removed.
func (e *Engine) Status(key types.NamespacedName) (v1alpha1.FaultStatus, bool) {
	f := e.find(key)
	if f == nil {
		return v1alpha1.FaultStatus{}, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return f.status(), true
}

func (e *Engine) find(key types.NamespacedName) *fault {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.scenario(key.Namespace).faults {
		if f.key == key {
			return f
		}
	}
	return nil
}

// scenario returns the scenario of a namespace. The lock is held.
func (e *Engine) scenario(namespace string) *scenario {
	s := e.scenarios[namespace]
	if s == nil {
		s = &scenario{changed: make(chan struct{})}
		e.scenarios[namespace] = s
	}
	return s
}

// change tells the streams to check the Faults again. The lock is held.
func (s *scenario) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// The reasons of events that the engine writes into the history, except those that a
// verdict depends on.
const (
	// EventExhausted: a Fault has no hits left.
	EventExhausted = "FaultExhausted"
	// EventRemoved: a Fault was deleted, and no longer acts.
	EventRemoved = "FaultRemoved"
	// EventGivenUp: the replica no longer waits for an answer that does not come.
	EventGivenUp = "FaultGivenUp"
	// EventCut: a request that was left without an answer was cut off.
	EventCut = "FaultCut"
)

func (e *Engine) record(f *fault, reason, message string) {
	event := history.Event{
		Scenario: f.key.Namespace, Object: "Fault/" + f.key.Name, Reason: reason, Message: message, Optional: f.spec.Optional,
	}
	if reason == history.FaultArmed {
		event.Verbs, event.Resources = f.spec.Match.Verbs, f.spec.Match.Resources
	}
	e.options.Recorder.Event(event)
}
