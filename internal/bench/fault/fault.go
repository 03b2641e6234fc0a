package fault

import (
	"maps"
	"net/url"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// fault is an armed Fault.
type fault struct {
	key     types.NamespacedName
	uid     types.UID
	created time.Time
	spec    v1alpha1.FaultSpec
	// action on requests. It is nil if the Fault acts only on streams.
	action action
	// invalid says why the Fault can never act. It is empty if it can.
	invalid string
	// removed is closed when the Fault is gone.
	removed chan struct{}
	// gap is the deletion that streams miss.
	gap gap

	// The fields below are protected by the engine's lock.
	skipped int32
	hits    int64
	last    string
	// byResource counts the hits.
	byResource map[string]int64
	// hidden counts the watch events that were kept from the controller.
	hidden int64
}

func (e *Engine) newFault(object *v1alpha1.Fault) *fault {
	f := &fault{
		key: types.NamespacedName{Namespace: object.Namespace, Name: object.Name}, uid: object.UID,
		created: object.CreationTimestamp.Time, spec: *object.Spec.DeepCopy(), removed: make(chan struct{}),
		byResource: map[string]int64{},
	}
	action, err := e.newAction(object)
	if err != nil {
		f.invalid = err.Error()
		return f
	}
	f.action = action
	return f
}

// matches says whether a request is one that the Fault selects: by what the request is,
// and by the replica that sent it.
func (e *Engine) matches(f *fault, request history.Request) bool {
	selected := f.spec.Match.Everything || history.Matches(f.spec.Match.RequestMatch, request)
	return f.invalid == "" && selected && e.targets(f, request) &&
		(!f.spec.Match.Continues || continues(request))
}

// continues says whether a request asks for the next page of a list.
func continues(request history.Request) bool {
	at, err := url.ParseRequestURI(request.Path)
	return err == nil && request.Verb == history.VerbList && at.Query().Get("continue") != ""
}

func (e *Engine) targets(f *fault, request history.Request) bool {
	switch f.spec.Target {
	case "", v1alpha1.TargetAll:
		return true
	case v1alpha1.TargetLeader, v1alpha1.TargetStandby:
		subject := e.options.Subjects.Running(f.key.Namespace)
		if subject == nil {
			return false
		}
		replicas, _ := subject.Resolve(f.spec.Target)
		return slices.Contains(replicas, request.Replica)
	default:
		return f.spec.Target == request.Replica
	}
}

// count counts a request or a stream that matches. It returns true if the Fault hits it:
// the Fault does not skip it, and is neither exhausted nor gone.
func (e *Engine) count(f *fault, request history.Request) bool {
	e.mu.Lock()
	if f.exhausted() || f.gone() {
		e.mu.Unlock()
		return false
	}
	if f.skipped < f.spec.Match.Skip {
		f.skipped++
		e.mu.Unlock()
		return false
	}
	f.hits++
	f.byResource[request.GroupResource().String()]++
	f.last = request.InWords()
	first, enough, exhausted, notify := f.hits == 1, f.hits == expected(f.spec), f.exhausted(), e.notify
	if exhausted {
		e.scenario(f.key.Namespace).change()
	}
	e.mu.Unlock()

	if first {
		e.record(f, history.FaultFired, request.InWords())
	}
	if enough {
		e.record(f, history.FaultDone, request.InWords())
	}
	if exhausted {
		e.record(f, EventExhausted, request.InWords())
	}
	notify(f.key)
	return true
}

// hide counts watch events that the Fault keeps from the controller.
func (e *Engine) hide(f *fault, events int) {
	e.mu.Lock()
	f.hidden += int64(events)
	notify := e.notify
	e.mu.Unlock()
	notify(f.key)
}

// exhausted says whether the Fault has no hits left. The lock is held.
func (f *fault) exhausted() bool { return f.spec.Times != nil && f.hits >= int64(*f.spec.Times) }

func (f *fault) gone() bool {
	select {
	case <-f.removed:
		return true
	default:
		return false
	}
}

// status of the Fault. The lock is held.
func (f *fault) status() v1alpha1.FaultStatus {
	status := v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed, Hits: f.hits, Hidden: f.hidden, Message: f.last}
	if f.hits > 0 {
		status.ByResource = maps.Clone(f.byResource)
	}
	switch {
	case f.invalid != "":
		status.Phase, status.Message = v1alpha1.FaultInvalid, f.invalid
	case f.exhausted():
		status.Phase = v1alpha1.FaultExhausted
	case f.hits > 0:
		status.Phase = v1alpha1.FaultActive
	}
	return status
}
