package tunnel

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hashicorp/yamux"
)

// Tunnel is the bench's end. As a listener it accepts the connections that were made in the
// Pod.
type Tunnel struct {
	session *yamux.Session
}

// Open opens the bench's end of a stream. Closing the tunnel closes the stream.
func Open(stream io.ReadWriteCloser) (*Tunnel, error) {
	session, err := yamux.Client(stream, configuration())
	if err != nil {
		return nil, fmt.Errorf("opening a tunnel: %w", err)
	}
	return &Tunnel{session}, nil
}

// Ping returns when the other end has answered.
func (t *Tunnel) Ping() error {
	_, err := t.session.Ping()
	return err
}

// Accept returns the next connection that was made in the Pod.
func (t *Tunnel) Accept() (net.Conn, error) {
	stream, err := t.session.Accept()
	if err != nil {
		return nil, err
	}
	return conn{stream}, nil
}

// Addr has no meaning here.
func (t *Tunnel) Addr() net.Addr { return t.session.Addr() }

// Close closes the tunnel with all its connections.
func (t *Tunnel) Close() error { return t.session.Close() }

// Done is closed when the tunnel has ended.
func (t *Tunnel) Done() <-chan struct{} { return t.session.CloseChan() }

// Dial connects, inside the Pod, to an address (host:port).
func (t *Tunnel) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	connected, err := t.dial(ctx, address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	return connected, nil
}

func (t *Tunnel) dial(ctx context.Context, address string) (net.Conn, error) {
	stream, err := t.session.Open()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = stream.SetDeadline(time.Unix(1, 0)) })
	err = writeText(stream, address)
	refusal := ""
	if err == nil {
		refusal, err = readText(stream)
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err == nil && refusal != "" {
		err = fmt.Errorf("in the Pod: %s", refusal)
	}
	if err != nil {
		_ = stream.Close()
		return nil, err
	}
	return conn{stream}, nil
}

// configuration returns the configuration of both ends.
func configuration() *yamux.Config {
	config := yamux.DefaultConfig()
	config.LogOutput = io.Discard // what goes wrong is in the errors
	config.ConnectionWriteTimeout = time.Minute
	return config
}
