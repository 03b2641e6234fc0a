package proxy

import (
	"net"
	"sync"
)

// listener remembers the connections that it accepted, so that they can be closed at
// once.
type listener struct {
	net.Listener
	gate *gate

	mu    sync.Mutex
	conns map[*conn]struct{}
	// silent: new connections are taken, and never answered.
	silent bool
}

func newListener(inner net.Listener, gate *gate) *listener {
	return &listener{Listener: inner, gate: gate, conns: map[*conn]struct{}{}}
}

// Accept returns the next connection that the gate lets in. It resets all others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.admit(accepted); c != nil {
			return c, nil
		}
		reset(accepted)
	}
}

// admit adds a connection. It returns nil where the gate is shut. It holds the lock all
// the time: where the gate is shut right after it was asked, the connection is among
// those that are reset.
func (l *listener) admit(accepted net.Conn) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	passage := l.gate.current()
	if passage == nil {
		return nil
	}
	c := &conn{Conn: accepted, listener: l, passage: passage, silence: silence{closed: make(chan struct{})}}
	c.silence.fallen.Store(l.silent)
	l.conns[c] = struct{}{}
	return c
}

// Connections is how many connections the replica has open.
func (p *Proxy) Connections() int64 {
	p.listener.mu.Lock()
	defer p.listener.mu.Unlock()
	return int64(len(p.listener.conns))
}

// drop closes all connections below TLS, without a TLS close_notify, which a peer could
// delay.
func (l *listener) drop() {
	for c := range l.forget() {
		c.silence.end()
		// It is gone either way.
		_ = c.Conn.Close()
	}
}

// reset closes all connections with a RST, as a host does that does not know them.
func (l *listener) reset() {
	for c := range l.forget() {
		c.silence.end()
		reset(c.Conn)
	}
}

func (l *listener) forget() map[*conn]struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	conns := l.conns
	l.conns = map[*conn]struct{}{}
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
	listener *listener
	passage  *passage
	silence  silence
}

func (c *conn) Close() error {
	c.silence.end()
	c.listener.mu.Lock()
	delete(c.listener.conns, c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}
