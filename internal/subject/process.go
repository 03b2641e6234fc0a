package subject

import (
	"context"
	"net"
	"os"

	"reconform.dev/reconform/internal/sandbox"
)

// process is a replica that runs: processes of this machine, or a Pod. What one of them
// cannot do is an errors.ErrUnsupported.
type process interface {
	// Describe names it.
	Describe() string
	// Done is closed when it has ended; Exit may be called then.
	Done() <-chan struct{}
	Exit() (code int, signal string, panicked bool)
	Signal(os.Signal) error
	// Kill ends it at once, and returns when it has ended.
	Kill() error
	LogTail(lines int) []string
	// Dial connects to what it serves.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	Usage() (sandbox.Usage, error)
	ReplaceToken(token string) error
}

// starter starts the processes of one replica, one after the other.
type starter interface {
	start(context.Context) (process, error)
	// remove what is left when no process runs any more.
	remove(context.Context) error
}

// here starts processes of this machine.
type here struct{ replica *replica }

func (h here) start(ctx context.Context) (process, error) {
	h.replica.mu.Lock()
	spec := h.replica.spec
	h.replica.mu.Unlock()
	p, err := h.replica.env.Launcher.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (here) remove(context.Context) error { return nil }
