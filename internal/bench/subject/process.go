package subject

import (
	"context"
	"net"
	"os"

	"reconform.dev/reconform/internal/process/sandbox"
)

// process is a running replica: processes of this machine, or a Pod. Methods that one of
// the two cannot support return errors.ErrUnsupported.
type process interface {
	// Describe names it.
	Describe() string
	// Done is closed when the process has ended. Only then may Exit be called.
	Done() <-chan struct{}
	Exit() (code int, signal string, panicked bool)
	Signal(os.Signal) error
	// Kill ends it at once, and returns after it has ended.
	Kill() error
	LogTail(lines int) []string
	// Dial connects to an address that it serves.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	Usage() (sandbox.Usage, error)
	ReplaceToken(token string) error
}

// starter starts the processes of one replica, one after the other.
type starter interface {
	start(context.Context) (process, error)
	// remove removes what is left when no process runs any more.
	remove(context.Context) error
}

// here starts processes on this machine.
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
