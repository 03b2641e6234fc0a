package proxy

import (
	"net"
	"sync"
	"sync/atomic"
)

// silence is a connection whose packets get lost, both ways, without a word.
type silence struct {
	fallen atomic.Bool
	once   sync.Once
	closed chan struct{} // once the proxy gives the connection up
}

func (s *silence) end() { s.once.Do(func() { close(s.closed) }) }

// Silence swallows all packets of the replica, without a reset: nothing arrives on its
// connections any more, and new ones get no answer. Once Speak is called, new
// connections are served. Those that fell silent stay so: something in between has
// forgotten them.
func (p *Proxy) Silence() { p.connections.silence(true) }

// Speak ends Silence. It does nothing without one before it.
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

// Read returns nothing of what arrives in silence.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.silence.fallen.Load() {
		<-c.silence.closed
		return 0, net.ErrClosed
	}
	return n, err
}

// Write into silence succeeds, as it does in a network that swallows packets.
func (c *conn) Write(p []byte) (int, error) {
	if c.silence.fallen.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}
