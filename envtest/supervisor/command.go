package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

var errMainMissing = errors.New("supervisor.Main is not the first statement of this program's main (or TestMain)")

// Cmd is a supervised command. Use it like the [exec.Cmd] that it embeds. Its Process is
// the supervisor: SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 sent to it reach
// the child, and its exit status is the child's. Start it and wait for it with the methods
// of Cmd. Run, Output and CombinedOutput do not use these, and are not supported.
// ExtraFiles reach the child as file descriptors 4 and up, because 3 is the supervisor's.
type Cmd struct {
	*exec.Cmd
	line *os.File
}

// Command prepares path, which is found as [exec.LookPath] does, to be run with args under
// a supervisor. When ctx ends, the child is ended as if this process had died: with the
// grace period of opts.
func Command(ctx context.Context, opts Options, path string, args ...string) (*Cmd, error) {
	if !installed.Load() {
		return nil, errMainMissing
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("supervising: %w", err)
	}
	data, err := (&spec{Options: opts, Path: path}).encode()
	if err != nil {
		return nil, err
	}
	self, err := executable()
	if err != nil {
		return nil, fmt.Errorf("supervising %s: %w", path, err)
	}
	c := &Cmd{Cmd: exec.CommandContext(ctx, self, append([]string{flag + string(data)}, args...)...)}
	c.Args[0] = "supervisor"
	c.Cancel = c.Cut
	// The child has its own process group, so that Ctrl+C in the terminal reaches only the
	// parent, which then stops its children in order.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c, nil
}

// Start starts the supervisor, and through it the child. If the child cannot be started,
// the exit status is 126, and the reason is printed on standard error.
func (c *Cmd) Start() error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making a lifeline: %w", err)
	}
	defer r.Close()
	c.line = w
	c.ExtraFiles = append([]*os.File{r}, c.ExtraFiles...)
	if err := c.Cmd.Start(); err != nil {
		w.Close()
		return fmt.Errorf("starting a supervisor: %w", err)
	}
	return nil
}

// Wait waits until the child and all processes that it has started have ended. It returns
// what [exec.Cmd.Wait] returns.
func (c *Cmd) Wait() error {
	defer c.line.Close()
	return c.Cmd.Wait()
}

// Cut ends the child as if this process had died. It does not wait for the end.
func (c *Cmd) Cut() error {
	if err := c.line.Close(); err != nil {
		return os.ErrProcessDone
	}
	return nil
}
