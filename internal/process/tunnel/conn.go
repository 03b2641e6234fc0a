package tunnel

import (
	"errors"
	"net"
	"os"

	"github.com/hashicorp/yamux"
)

// conn reports an exceeded deadline with the same error as any other connection. TLS takes
// any other error for the end of the connection, and an HTTP server sets such a deadline
// after each request.
type conn struct{ net.Conn }

func (c conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, deadline(err)
}

func (c conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, deadline(err)
}

func deadline(err error) error {
	if errors.Is(err, yamux.ErrTimeout) {
		return os.ErrDeadlineExceeded
	}
	return err
}
