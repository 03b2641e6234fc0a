package fault

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// hold keeps a request waiting until the Fault is gone. Then the request passes.
type hold struct{}

func (hold) act(h *hit, next proxy.Next) (*http.Response, error) {
	return h.passAfter(nil, next)
}

// holdAnswer lets the API server carry out a write, and keeps the answer until the Fault is
// gone.
type holdAnswer struct{}

func (holdAnswer) act(h *hit, next proxy.Next) (*http.Response, error) { return next(h.Out) }

func (holdAnswer) wantsAnswer(request history.Request) bool {
	return request.Effect == history.EffectEffective
}

func (holdAnswer) answered(h *hit) error {
	select {
	case <-h.fault.removed:
		return nil
	case <-h.Replica.Done():
		return fmt.Errorf("keeping the answer as the fault %s says: %w", h.fault.key.Name, h.Replica.Err())
	}
}

// delay lets a request pass later, or when the Fault is gone, whichever is first.
type delay time.Duration

func (d delay) act(h *hit, next proxy.Next) (*http.Response, error) {
	timer := time.NewTimer(time.Duration(d))
	defer timer.Stop()
	return h.passAfter(timer.C, next)
}

// passAfter lets the request pass when it is due, or when the Fault is gone. If the
// replica no longer waits, nothing is sent.
func (h *hit) passAfter(due <-chan time.Time, next proxy.Next) (*http.Response, error) {
	// A server notices that its client is gone only after it has read the request.
	if err := readBody(h.Out); err != nil {
		return nil, err
	}
	select {
	case <-due:
	case <-h.fault.removed:
	case <-h.Replica.Done():
		return nil, fmt.Errorf("waiting as the fault %s says: %w", h.fault.key.Name, h.Replica.Err())
	}
	return next(h.Out)
}

// readBody reads the body into memory.
func readBody(out *http.Request) error {
	if out.Body == nil || out.Body == http.NoBody {
		return nil
	}
	body, err := io.ReadAll(out.Body)
	if err != nil {
		return fmt.Errorf("reading a request: %w", err)
	}
	out.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}
