package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// Crasher kills replicas.
type Crasher interface {
	// Crash stops all traffic of a replica, kills all its processes (SIGKILL) and returns
	// when they are gone. It is called while a request of the replica is being served, and
	// must not wait for that request.
	Crash(ctx context.Context, scenario, replica string) error
}

// crashTimeout limits how long it may take until a killed replica is gone.
const crashTimeout = 10 * time.Second

var errCrashed = errors.New("a fault killed the replica")

func newCrash(crasher Crasher, when v1alpha1.CrashTime) (action, error) {
	if crasher == nil {
		return nil, errors.New("spec.action.crash: this bench has no processes that it could kill")
	}
	if when == v1alpha1.CrashBefore {
		return crashBefore{crasher}, nil
	}
	return crashAfter{crasher}, nil
}

// crashBefore kills the replica before the API server sees its write.
type crashBefore struct{ crasher Crasher }

func (c crashBefore) wants(call *proxy.Call) bool { return (&hit{Call: call}).writes() }

func (c crashBefore) act(h *hit, _ proxy.Next) (*http.Response, error) {
	return nil, h.crash(c.crasher)
}

// crashAfter kills the replica after its write has had an effect.
type crashAfter struct{ crasher Crasher }

func (c crashAfter) act(h *hit, next proxy.Next) (*http.Response, error) { return next(h.Out) }

func (c crashAfter) wantsAnswer(request history.Request) bool {
	return request.Effect == history.EffectEffective
}

func (c crashAfter) answered(h *hit) error { return h.crash(c.crasher) }

func (h *hit) crash(crasher Crasher) error {
	request := h.Request()
	// The request's own context ends with the replica.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.Replica), crashTimeout)
	defer cancel()
	if err := crasher.Crash(ctx, request.Scenario, request.Replica); err != nil {
		return fmt.Errorf("killing %s: %w", request.Replica, err)
	}
	return errCrashed
}
