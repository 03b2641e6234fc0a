package proxy

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// lastWrites is how long the proxy, when it closes, waits until the forwarded writes are
// answered and recorded.
const lastWrites = 2 * time.Second

// enter begins a request. It returns false if the proxy is closed. The request ends with
// serving.Done.
func (p *Proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.serving.Add(1)
	return true
}

// Close closes all connections at once and accepts no more. It waits for the writes that
// were forwarded, for 2 s at most, so that their answers are in the record. After it
// returns, the record does not change.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()

	p.release()
	p.connections.drop()
	err := p.server.Close()
	timer := time.AfterFunc(lastWrites, p.giveUp)
	p.serving.Wait()
	timer.Stop()
	p.giveUp()
	p.transport.CloseIdleConnections()
	// A listener in the replica's own network disappears with that network.
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("closing the proxy of %s: %w", p.options.Replica, err)
	}
	return nil
}
