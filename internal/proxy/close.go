package proxy

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// lastWrites is how long the proxy waits, when it closes, until the writes that were
// forwarded are answered and recorded.
const lastWrites = 2 * time.Second

// enter begins a request, unless the proxy is closed. The request ends with
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

// Close closes all connections at once and serves no more. It waits for the writes that
// were forwarded, for 2 s at most, so that the record has their answers. Once it
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
	// A listener of the replica's own network goes with that.
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("closing the proxy of %s: %w", p.options.Replica, err)
	}
	return nil
}
