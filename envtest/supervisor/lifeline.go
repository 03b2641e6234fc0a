package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// A Lifeline keeps the children alive that were started through its links. When it is
// closed, or when the process that holds it dies, they are killed.
type Lifeline struct {
	dir string
	w   *os.File
}

// NewLifeline creates a lifeline with its files in dir, which must exist.
func NewLifeline(dir string) (*Lifeline, error) {
	// A relative path would mean another folder to a child with another working directory.
	dir, err := filepath.Abs(filepath.Join(dir, linkDir))
	if err != nil {
		return nil, fmt.Errorf("making a lifeline: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a lifeline: %w", err)
	}
	l := &Lifeline{dir: dir}
	if err := os.Remove(l.fifo()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("making a lifeline: %w", err)
	}
	if err := syscall.Mkfifo(l.fifo(), 0o600); err != nil {
		return nil, fmt.Errorf("making a lifeline: creating FIFO %s: %w", l.fifo(), err)
	}
	// Opening the writing end blocks until there is a reader, so this process is the reader
	// for a moment.
	r, err := os.OpenFile(l.fifo(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("making a lifeline: %w", err)
	}
	defer r.Close()
	if l.w, err = os.OpenFile(l.fifo(), os.O_WRONLY, 0); err != nil {
		return nil, fmt.Errorf("making a lifeline: %w", err)
	}
	return l, nil
}

func (l *Lifeline) fifo() string { return filepath.Join(l.dir, "lifeline") }

// Link creates an executable link with the given base name that runs target under a
// supervisor, and returns its path. Every execution of the link is a new child.
func (l *Lifeline) Link(name, target string, opts Options) (string, error) {
	if !installed.Load() {
		return "", errMainMissing
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("linking %s: %w", name, err)
	}
	if target, err = filepath.Abs(target); err != nil {
		return "", fmt.Errorf("linking %s: %w", name, err)
	}
	data, err := (&spec{Options: opts, Path: target, Lifeline: l.fifo()}).encode()
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.dir, name)
	if err := os.WriteFile(path+".json", data, 0o600); err != nil {
		return "", fmt.Errorf("linking %s: %w", name, err)
	}
	if err := os.Symlink(self, path); err != nil {
		return "", fmt.Errorf("linking %s: %w", name, err)
	}
	return path, nil
}

// dismissals is how many children can be told that the lifeline was closed in order. Each reads
// one byte.
const dismissals = 256

// Close kills all children, and does not wait for their end. It tells the supervisors that this
// process goes on, so they leave the folders of [Options.Remove] to it. It may be called more
// than once.
func (l *Lifeline) Close() error {
	_, _ = l.w.Write(make([]byte, dismissals)) // fails if there are no children, or if it is closed
	if err := l.w.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("cutting the lifeline: %w", err)
	}
	return nil
}

// openLifeline returns a channel from which the end of the lifeline can be read, even if that
// was before the call: it is closed when the parent is gone, and has a value if the parent has
// closed the lifeline and goes on.
func (s *spec) openLifeline() (<-chan struct{}, error) {
	fd := lifelineFD
	if s.Lifeline != "" {
		var err error
		// Do not block: a parent that is already gone will never open the other end.
		if fd, err = syscall.Open(s.Lifeline, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0); err != nil {
			return nil, fmt.Errorf("opening the lifeline %s: %w", s.Lifeline, err)
		}
	}
	syscall.CloseOnExec(fd)
	// Reads block, on their own thread, because not every system's poller reports the end of
	// a FIFO.
	if err := syscall.SetNonblock(fd, false); err != nil {
		return nil, fmt.Errorf("opening the lifeline: %w", err)
	}
	line := make(chan struct{}, 1)
	go func() {
		defer close(line)
		for buf := make([]byte, 1); ; {
			n, err := syscall.Read(fd, buf)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if n == 1 {
				line <- struct{}{}
			}
			return
		}
	}()
	return line, nil
}
