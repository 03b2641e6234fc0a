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
	// open ends with the passage. Its cause is then a *cut.
	open context.Context
	shut context.CancelCauseFunc

	mu        sync.Mutex
	forwarded sync.WaitGroup // writes; none is added after open has ended
}

// settled waits until the forwarded writes are answered, or until the timeout.
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

// forward must be called before a write is sent. It fails if the passage is closed. When
// the write is finished, call forwarded.Done.
func (p *passage) forward() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := context.Cause(p.open); err != nil {
		return err
	}
	p.forwarded.Add(1)
	return nil
}

// bind returns a context that also ends with the passage.
func (p *passage) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	detach := context.AfterFunc(p.open, func() { cancel(context.Cause(p.open)) })
	return ctx, func() {
		detach()
		cancel(nil)
	}
}

// reason returns why the passage has ended. It returns false if the passage is still open.
func (p *passage) reason() (string, bool) {
	var c *cut
	if errors.As(context.Cause(p.open), &c) {
		return c.reason, true
	}
	return "", false
}

// passageKey is the context key for the passage of a request's connection.
type passageKey struct{}

// connContext gives the passage of a connection to its requests.
func connContext(ctx context.Context, c net.Conn) context.Context {
	if wrapped, ok := c.(interface{ NetConn() net.Conn }); ok {
		if own, ok := wrapped.NetConn().(*conn); ok {
			return context.WithValue(ctx, passageKey{}, own.passage)
		}
	}
	return ctx
}

// passageOf returns the passage of a request's connection.
func (p *Proxy) passageOf(ctx context.Context) *passage {
	if found, ok := ctx.Value(passageKey{}).(*passage); ok {
		return found
	}
	return p.gate.current() // the request did not come over a connection of the proxy, as in a test
}
