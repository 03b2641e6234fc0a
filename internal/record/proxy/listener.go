package proxy

import (
	"net"
	"sync"
	"sync/atomic"
)

// connections of a replica. They can all be closed at once.
type connections struct {
	gate *gate

	mu    sync.Mutex
	conns map[*conn]struct{}
	// silent: new connections are accepted, but never answered.
	silent bool
}

func newConnections(gate *gate) *connections {
	return &connections{gate: gate, conns: map[*conn]struct{}{}}
}

// listener lets connections in. A replica that is restarted may get another listener.
type listener struct {
	net.Listener
	connections *connections
}

// Accept returns the next connection that the gate lets in. It resets all others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.connections.admit(accepted); c != nil {
			return c, nil
		}
		reset(accepted)
	}
}

// admit adds a connection. It returns nil if the gate is shut. It holds the lock the whole
// time: if the gate is shut just after it was asked, the connection is among those that
// are reset.
func (all *connections) admit(accepted net.Conn) *conn {
	all.mu.Lock()
	defer all.mu.Unlock()
	passage := all.gate.current()
	if passage == nil {
		return nil
	}
	c := &conn{Conn: accepted, connections: all, passage: passage, silence: silence{closed: make(chan struct{})}}
	c.silence.fallen.Store(all.silent)
	all.conns[c] = struct{}{}
	return c
}

// Connections returns how many connections the replica has open.
func (p *Proxy) Connections() int64 {
	p.connections.mu.Lock()
	defer p.connections.mu.Unlock()
	return int64(len(p.connections.conns))
}

// drop closes all connections below TLS. It sends no TLS close_notify, because a peer
// could delay that.
func (all *connections) drop() {
	for c := range all.forget() {
		c.silence.end()
		// The connection is gone, with or without an error.
		_ = c.Conn.Close()
	}
}

// reset closes all connections with a RST, like a host that does not know them.
func (all *connections) reset() {
	for c := range all.forget() {
		c.silence.end()
		reset(c.Conn)
	}
}

func (all *connections) forget() map[*conn]struct{} {
	all.mu.Lock()
	defer all.mu.Unlock()
	conns := all.conns
	all.conns = map[*conn]struct{}{}
	return conns
}

func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // closing it sends RST
	}
	_ = c.Close()
}

type conn struct {
	net.Conn
	connections *connections
	passage     *passage
	silence     silence
}

func (c *conn) Close() error {
	c.silence.end()
	c.connections.mu.Lock()
	delete(c.connections.conns, c)
	c.connections.mu.Unlock()
	return c.Conn.Close()
}

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
func (p *Proxy) Silence() { p.connections.setSilent(true) }

// Speak ends Silence. It does nothing if there was no Silence before.
func (p *Proxy) Speak() { p.connections.setSilent(false) }

func (all *connections) setSilent(on bool) {
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
