package tunnel

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hashicorp/yamux"
)

// Tunnel is the bench's end. As a listener it takes the connections that were made in
// the Pod.
type Tunnel struct {
	*yamux.Session
}

// Open the bench's end of a stream. Closing the tunnel closes the stream.
func Open(stream io.ReadWriteCloser) (*Tunnel, error) {
	session, err := yamux.Client(stream, configuration())
	if err != nil {
		return nil, fmt.Errorf("opening a tunnel: %w", err)
	}
	return &Tunnel{session}, nil
}

// Dial connects, in the Pod, to an address (host:port).
func (t *Tunnel) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := t.dial(ctx, address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	return conn, nil
}

func (t *Tunnel) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := t.Session.Open()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = writeText(conn, address)
	refusal := ""
	if err == nil {
		refusal, err = readText(conn)
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err == nil && refusal != "" {
		err = fmt.Errorf("in the Pod: %s", refusal)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// configuration of both ends.
func configuration() *yamux.Config {
	config := yamux.DefaultConfig()
	config.LogOutput = io.Discard // what is wrong is in the errors
	config.ConnectionWriteTimeout = time.Minute
	return config
}
