package proxy

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// passage is the time between two cuts.
type passage struct {
	// open ends with the passage; its cause is a *cut.
	open context.Context
	shut context.CancelCauseFunc

	mu        sync.Mutex
	forwarded sync.WaitGroup // writes; none is added once open has ended
}

// settled waits until the writes that were forwarded are answered, or for the timeout.
func (p *passage) settled(timeout time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.forwarded.Wait()
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// forward must be called before a write is sent. It fails once the passage is closed.
// The write ends with forwarded.Done.
func (p *passage) forward() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := context.Cause(p.open); err != nil {
		return err
	}
	p.forwarded.Add(1)
	return nil
}

// bind makes a context end with the passage too.
func (p *passage) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	detach := context.AfterFunc(p.open, func() { cancel(context.Cause(p.open)) })
	return ctx, func() {
		detach()
		cancel(nil)
	}
}

// reason why the passage has ended; false while it has not.
func (p *passage) reason() (string, bool) {
	var c *cut
	if errors.As(context.Cause(p.open), &c) {
		return c.reason, true
	}
	return "", false
}

// passageKey finds the passage of a request's connection in its context.
type passageKey struct{}

// connContext hands a connection's passage to its requests.
func connContext(ctx context.Context, c net.Conn) context.Context {
	if wrapped, ok := c.(interface{ NetConn() net.Conn }); ok {
		if own, ok := wrapped.NetConn().(*conn); ok {
			return context.WithValue(ctx, passageKey{}, own.passage)
		}
	}
	return ctx
}

// passageOf the connection of a request.
func (p *Proxy) passageOf(ctx context.Context) *passage {
	if found, ok := ctx.Value(passageKey{}).(*passage); ok {
		return found
	}
	return p.gate.current() // a request that came over no connection of ours, as in a test
}
