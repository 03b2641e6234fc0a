package proxy

import (
	"net"
	"sync"
)

// listener remembers the connections it accepted, so that they can be dropped without a word.
type listener struct {
	net.Listener

	mu    sync.Mutex
	conns map[*conn]struct{}
}

func newListener(inner net.Listener) *listener {
	return &listener{Listener: inner, conns: map[*conn]struct{}{}}
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	return c, nil
}

// drop closes all connections, below TLS: nobody is said goodbye to, and nobody can delay it.
func (l *listener) drop() {
	l.mu.Lock()
	conns := l.conns
	l.conns = map[*conn]struct{}{}
	l.mu.Unlock()
	for c := range conns {
		// It is gone either way.
		_ = c.Conn.Close()
	}
}

type conn struct {
	net.Conn
	listener *listener
}

func (c *conn) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.conns, c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}
