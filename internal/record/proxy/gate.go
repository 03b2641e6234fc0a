package proxy

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// gate lets connections in while it is open. A connection belongs to the passage that was
// open when the connection was made. After that passage is closed, no request on the
// connection goes on, even if the gate opens again.
type gate struct {
	mu      sync.Mutex
	passage *passage // nil while the gate is shut
}

// cut is why a request did not go on.
type cut struct{ reason string }

func (c *cut) Error() string { return "cut off: " + c.reason }

func newGate() *gate {
	g := &gate{}
	g.open()
	return g
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passage == nil {
		g.passage = &passage{}
		g.passage.open, g.passage.shut = context.WithCancelCause(context.Background())
	}
}

func (g *gate) current() *passage {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passage
}

// shut closes the gate. It returns the passage that was open, or nil if the gate was
// already shut.
func (g *gate) shut(reason string) *passage {
	g.mu.Lock()
	p := g.passage
	g.passage = nil
	g.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut(&cut{reason})
	return p
}

// Cut resets all connections of the replica, and every new one, until Mend is called. A
// request that is not yet on its way to the API server is never sent. Cut waits for the
// writes that are on their way, for 2 s at most. After Cut returns, nothing that the
// replica has sent can still take effect, and what took effect is in the record. A request
// that breaks off has the reason as its Fault. A second Cut before Mend changes nothing.
func (p *Proxy) Cut(reason string) {
	passage := p.gate.shut(reason)
	if passage == nil {
		return
	}
	p.connections.reset()
	passage.settled(lastWrites)
}

// Mend lets the replica connect again. It does nothing without a Cut before it.
func (p *Proxy) Mend() { p.gate.open() }

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
