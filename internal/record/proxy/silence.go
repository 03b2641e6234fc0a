package proxy

import (
	"net"
	"sync"
	"sync/atomic"
)

// silence is a connection that loses its packets in both directions, without an error.
type silence struct {
	fallen atomic.Bool
	once   sync.Once
	closed chan struct{} // closed when the proxy gives the connection up
}

func (s *silence) end() { s.once.Do(func() { close(s.closed) }) }

// Silence swallows all packets of the replica, without a reset: nothing arrives on its
// connections, and new connections get no answer. After Speak is called, new connections
// are served. The old ones stay silent, as if a router had forgotten them.
func (p *Proxy) Silence() { p.connections.silence(true) }

// Speak ends Silence. It does nothing if there was no Silence before.
func (p *Proxy) Speak() { p.connections.silence(false) }

func (all *connections) silence(on bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.silent = on
	for c := range all.conns {
		if on {
			c.silence.fallen.Store(true)
		}
	}
}

// Read returns nothing that arrives during a silence.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.silence.fallen.Load() {
		<-c.silence.closed
		return 0, net.ErrClosed
	}
	return n, err
}

// Write succeeds during a silence, as it does in a network that loses packets.
func (c *conn) Write(p []byte) (int, error) {
	if c.silence.fallen.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}
