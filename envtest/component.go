package envtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"reconform.dev/reconform/envtest/garbage"
	"reconform.dev/reconform/envtest/supervisor"
)

// component is one program of the control plane.
type component struct {
	name   string
	binary string // the program itself
	link   string // what to execute: the program under its supervisor
	log    string
	keep   bool // whether the log outlives the control plane
	stderr *os.File
	// stdout is a pipe, although little is written to it. The end of the pipe shows that the
	// process is gone, even if others have started the process.
	stdout *os.File
	reader *os.File
	ended  chan struct{}
}

// newComponent prepares a component. Call watch after the process was started, or failed to
// start.
func newComponent(name, assets string, work *workDir, line *supervisor.Lifeline) (*component, error) {
	c := &component{
		name: name, binary: assets + "/" + name, log: work.join("logs", name+".log"),
		keep: !work.temporary, ended: make(chan struct{}),
	}
	environment := garbage.Environment()
	if name == apiServer {
		environment = garbage.EnvironmentOfStore()
	}
	var err error
	if c.link, err = line.Link(name, c.binary, supervisor.Options{Env: environment, Dir: work.path, Report: true, Remove: work.orphaned}); err != nil {
		return nil, err
	}
	if c.stderr, err = os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_TRUNC, 0o600); err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if c.reader, c.stdout, err = os.Pipe(); err != nil {
		c.stderr.Close()
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	return c, nil
}

// watch closes c.ended when the process has ended.
func (c *component) watch() {
	c.stdout.Close()
	go func() {
		defer close(c.ended)
		defer c.reader.Close()
		defer c.stderr.Close()
		_, _ = io.Copy(c.stderr, c.reader)
	}()
}

// start starts the component with args. Its environment has only PATH from the user's.
func (c *component) start(home string, args ...string) error {
	cmd := exec.Command(c.link, args...)
	cmd.Stdout, cmd.Stderr = c.stdout, c.stderr
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	// Ctrl+C in the terminal must reach only this process, which then stops the components.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	defer c.watch()
	if err := cmd.Start(); err != nil {
		return c.failed(err)
	}
	go func() { _ = cmd.Wait() }() // the log shows how it ended
	return nil
}

// failed explains why a component did not start, or ended. It returns the last log lines;
// if there are none, it checks whether the binary runs at all.
func (c *component) failed(err error) error {
	err = lateness(err)
	tail := c.tail()
	if tail == "" {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if out, err := exec.CommandContext(ctx, c.binary, "--version").CombinedOutput(); err != nil {
			tail = strings.TrimSpace(fmt.Sprintf("%s --version: %v\n%s", c.binary, err, out))
		}
	}
	failure := &componentError{name: c.name, tail: tail, err: err}
	if c.keep {
		failure.log = c.log
	}
	return failure
}

// tail returns the last lines of the log.
func (c *component) tail() string {
	const bytesRead, lines = 64 << 10, 10
	f, err := os.Open(c.log)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > bytesRead {
		_, _ = f.Seek(-bytesRead, io.SeekEnd)
	}
	data, _ := io.ReadAll(f)
	all := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}

// componentError is the error for a component that did not start, or ended.
type componentError struct {
	name, log, tail string
	err             error
}

func (e *componentError) Error() string {
	text := fmt.Sprintf("%s: %v", e.name, e.err)
	if e.tail != "" {
		text += "\n  " + strings.ReplaceAll(e.tail, "\n", "\n  ")
	}
	if e.log != "" {
		text += "\n  (log: " + e.log + ")"
	}
	return text
}

func (e *componentError) Unwrap() error { return e.err }

// portTaken tells whether the reason for err is a port that was free when it was chosen,
// but taken when it was used.
func portTaken(err error) bool {
	var failure *componentError
	return errors.As(err, &failure) && strings.Contains(failure.tail, "address already in use")
}

// lateness says of a process that did not start in time what to do. The library has no type
// for that error.
func lateness(err error) error {
	if err != nil && strings.Contains(err.Error(), "timeout waiting for process") {
		return fmt.Errorf("%w (it has %s: if this machine was busy, try again)", err, startTimeout)
	}
	return err
}
