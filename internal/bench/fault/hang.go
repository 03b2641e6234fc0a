package fault

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"reconform.dev/reconform/internal/record/proxy"
)

// hang leaves a request without an answer, and cuts it off when the time is over, or when
// the Fault is gone. The replica may stop waiting before that.
type hang struct {
	engine     *Engine
	lasts      time.Duration
	carriedOut bool
}

var errHung = errors.New("a fault left it without an answer")

func (a hang) act(h *hit, next proxy.Next) (*http.Response, error) {
	if !a.carriedOut {
		// A server notices that its client is gone only after it has read the request.
		if err := readBody(h.Out); err != nil {
			return nil, err
		}
		return nil, a.wait(h)
	}
	return h.carryOut(next, func() error { return a.wait(h) })
}

func (a hang) answered(h *hit) error {
	if !a.carriedOut {
		return nil
	}
	return a.wait(h)
}

// wait waits as long as the request hangs, and returns why it ends.
func (a hang) wait(h *hit) error {
	timer := time.NewTimer(a.lasts)
	defer timer.Stop()
	began := time.Now()
	select {
	case <-timer.C:
	case <-h.fault.removed:
	case <-h.Replica.Done():
		a.engine.record(h.fault, EventGivenUp, fmt.Sprintf("%s: after %s", h.Request().InWords(), time.Since(began).Round(time.Millisecond)))
		return fmt.Errorf("waiting as the fault %s says: %w", h.fault.key.Name, h.Replica.Err())
	}
	a.engine.record(h.fault, EventCut, fmt.Sprintf("%s: after %s", h.Request().InWords(), time.Since(began).Round(time.Millisecond)))
	return h.cut(errHung)
}
