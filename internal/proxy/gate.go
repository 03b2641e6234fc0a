package proxy

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// gate lets connections in, or none. What a connection carries belongs to the passage that was open when it came: once
// that is closed nothing of it goes on, also after the gate has opened again.
type gate struct {
	mu      sync.Mutex
	passage *passage // nil while the gate is shut
}

// passage is one span of time between two cuts.
type passage struct {
	// open ends with the passage; its cause is a *cut.
	open context.Context
	shut context.CancelCauseFunc

	mu        sync.Mutex
	forwarded sync.WaitGroup // writes; none is added once open has ended
}

// cut is why a request got no further.
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

// shut closes the gate and returns the passage that was open, nil where it was shut already.
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

// forward begins to send a write, unless the passage is closed. Each is ended by forwarded.Done.
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

// Cut resets all connections of the replica, and every new one, until Mend is called. Nothing that is not yet on its
// way to the API server gets there, now or later. Writes that are on their way are waited for, 2 s at most: once Cut
// returns, nothing that the replica has sent takes effect any more, and what did is in the record. A request that
// breaks off has the reason as its Fault. A gate that is shut stays shut, for its first reason.
func (p *Proxy) Cut(reason string) {
	passage := p.gate.shut(reason)
	if passage == nil {
		return
	}
	p.listener.reset()
	passage.settled(lastWrites)
}

// Mend lets the replica connect again. It does nothing where nothing was cut.
func (p *Proxy) Mend() { p.gate.open() }

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
