package proxy

import (
	"context"
	"sync"
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
