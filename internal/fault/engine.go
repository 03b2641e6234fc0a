package fault

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/subject"
)

// Options of an Engine.
type Options struct {
	// Subjects tells which replica is the leader.
	Subjects subject.Subjects
	// Crasher kills replicas; nil where none can be.
	Crasher Crasher
	// Recorder records what becomes of the Faults.
	Recorder *history.Recorder
}

// Engine knows the Faults that are armed, and carries them out. A bench has one, which
// is in all its proxies. It is safe for use by many goroutines.
type Engine struct {
	options Options

	mu        sync.Mutex
	notify    func(types.NamespacedName)
	scenarios map[string]*scenario
}

// scenario has what is armed in one namespace.
type scenario struct {
	// faults in the order in which they act. The slice is replaced, never changed.
	faults []*fault
	// changed is closed when a Fault comes, goes or is exhausted.
	changed chan struct{}
}

// NewEngine makes an Engine without Faults.
func NewEngine(options Options) *Engine {
	return &Engine{options: options, scenarios: map[string]*scenario{}, notify: func(types.NamespacedName) {}}
}

// OnHit has notify called after every hit, with the Fault's key. It is called in the
// middle of a request: it must return at once.
func (e *Engine) OnHit(notify func(types.NamespacedName)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notify = notify
}

// Check says why a Fault can never act; nil where it can.
func (e *Engine) Check(object *v1alpha1.Fault) error {
	_, err := e.newAction(object)
	return err
}

// Add arms a Fault. Once it returns, the Fault acts or is Invalid. A Fault that is
// armed already is not changed. Another one of the same name, which is gone, is removed
// first.
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
		e.record(added, history.FaultArmed, fmt.Sprintf("has to fire %d times", expected(added.spec)))
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

// Remove disarms a Fault, if it is armed. Once it returns, traffic is normal: the
// requests that the Fault held are let through.
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

// Status of a Fault that was added; false where it was not, or is removed.
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

// scenario of a namespace. The lock is held.
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

// The reasons of events that the engine writes into the history, apart from those that
// a verdict depends on.
const (
	// EventExhausted: a Fault has no hits left.
	EventExhausted = "FaultExhausted"
	// EventRemoved: a Fault was deleted, and no longer acts.
	EventRemoved = "FaultRemoved"
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
