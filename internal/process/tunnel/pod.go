package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/hashicorp/yamux"
)

// Serve serves the Pod's end of a stream: it passes connections of the listener on to the
// bench, and connects to the addresses that the bench asks for. It returns when the stream
// or the context ends. By then it has closed the listener and all connections.
func Serve(ctx context.Context, stream io.ReadWriteCloser, listener net.Listener) error {
	session, err := yamux.Server(stream, configuration())
	if err != nil {
		return fmt.Errorf("serving a tunnel: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	var serving sync.WaitGroup
	defer serving.Wait()
	context.AfterFunc(ctx, func() {
		_ = session.Close()
		_ = listener.Close()
	})
	serving.Go(func() {
		defer end()
		for {
			inner, err := listener.Accept()
			if err != nil {
				return
			}
			outer, err := session.Open()
			if err != nil {
				_ = inner.Close()
				return
			}
			serving.Go(func() { join(inner, outer) })
		}
	})
	for {
		outer, err := session.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("serving a tunnel: %w", err)
		}
		serving.Go(func() { connect(ctx, outer) })
	}
}

// connect connects the bench to the address that it names.
func connect(ctx context.Context, outer net.Conn) {
	address, err := readText(outer)
	if err != nil {
		_ = outer.Close()
		return
	}
	inner, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		_ = writeText(outer, err.Error())
		_ = outer.Close()
		return
	}
	if err := writeText(outer, ""); err != nil {
		_ = inner.Close()
		_ = outer.Close()
		return
	}
	join(inner, outer)
}

// join joins two connections until both directions have ended. If one fails, both end.
func join(inner, outer net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { carry(outer, inner) })
	both.Go(func() { carry(inner, outer) })
	both.Wait()
	_ = inner.Close()
	_ = outer.Close()
}

// carry copies one direction, and passes its end on.
func carry(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = to.Close()
		_ = from.Close()
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close() // of a stream: the other direction can still be read
}
