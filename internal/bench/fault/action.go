package fault

import (
	"errors"
	"net/http"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// action is what a Fault does to a request that it acts on.
type action interface {
	// act carries out the call. It calls next, or does not. An error cuts the request off.
	act(h *hit, next proxy.Next) (*http.Response, error)
}

// selective is an action that acts only on some of the requests that match. The others are
// not counted.
type selective interface {
	action
	wants(call *proxy.Call) bool
}

// answering is an action that acts again on a write, after the write has been answered.
type answering interface {
	action
	// answered acts after the answer is recorded. An error keeps the answer from the
	// replica.
	answered(h *hit) error
}

// afterwards is an action that acts on a write only after it has been answered. Before
// that, other Faults may act on it.
type afterwards interface {
	answering
	// wantsAnswer says whether it acts on a write with this answer. Other writes are not
	// counted.
	wantsAnswer(request history.Request) bool
}

// hit is a call that a Fault acts on.
type hit struct {
	*proxy.Call
	fault *fault
}

// cut cuts the request off. If the scope says so, it closes all connections of the
// replica.
func (h *hit) cut(why error) error {
	if h.fault.spec.Scope == v1alpha1.ScopeConnection {
		return h.CloseConnections(why)
	}
	return why
}

// newAction makes the action of a Fault. It is nil if the Fault acts only on streams. An
// error means that the Fault can never act.
func (e *Engine) newAction(object *v1alpha1.Fault) (action, error) {
	switch spec := object.Spec.Action; {
	case spec.Respond != nil:
		if len(spec.Respond.Then) > 0 {
			return newInTurn(*spec.Respond)
		}
		return newRespond(*spec.Respond)
	case spec.DelayMs != nil:
		return delay(time.Duration(*spec.DelayMs) * time.Millisecond), nil
	case spec.Disconnect != nil:
		return disconnect{}, nil
	case spec.LoseResponse != nil:
		return loseResponse{}, nil
	case spec.HalfAnswer != nil:
		return halfAnswer{}, nil
	case spec.Hold != nil:
		return hold{}, nil
	case spec.Hang != nil:
		return hang{engine: e, lasts: time.Duration(spec.Hang.Ms) * time.Millisecond, carriedOut: spec.Hang.CarriedOut}, nil
	case spec.HoldAnswer != nil:
		return holdAnswer{}, nil
	case spec.Watch != nil:
		return newWatch(*spec.Watch)
	case spec.Stale != nil:
		return newStale(object)
	case spec.Restored != nil:
		return newRestored(object)
	case spec.Pages != nil:
		return newPages()
	case spec.Crash != nil:
		return newCrash(e.options.Crasher, spec.Crash.When)
	default:
		return nil, errors.New("spec.action: exactly one action must be given")
	}
}
