//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// Process is a replica that was started: a program and all its descendants.
type Process struct {
	name      string
	contained bool
	scratch   string
	network   bool            // whether it has its own network
	token     string          // the path of its token, as the replica sees it if it is contained
	log       *capture.Output // nil if nobody reads it
	out       *os.File        // only until the init has it

	cmd     *exec.Cmd
	control *os.File
	sockets *net.UnixConn
	orders  sync.Mutex // one order and its answer at a time
	answers chan string
	started chan struct{} // closed when the program runs
	done    chan struct{} // closed when all processes are gone; the fields below do not change after that

	missed   []string // the parts of the sandbox that could not be set up
	refused  string   // why the program was not started; empty if it was
	status   *syscall.WaitStatus
	panicked bool
}

func newProcess(name string, out *os.File) *Process {
	return &Process{
		name: name, out: out,
		answers: make(chan string), started: make(chan struct{}), done: make(chan struct{}),
	}
}

// launch starts an init and gives it its task.
func (p *Process) launch(attributes syscall.SysProcAttr, task *pid1.Task) error {
	self, err := executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	orders, control, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("connecting to the init: %w", err)
	}
	defer orders.Close()
	reports, status, err := os.Pipe()
	if err != nil {
		control.Close()
		return fmt.Errorf("connecting to the init: %w", err)
	}
	defer status.Close()
	sockets, err := p.openSockets()
	if err != nil {
		control.Close()
		reports.Close()
		return fmt.Errorf("connecting to the init: %w", err)
	}
	defer sockets.Close()
	p.control = control
	p.cmd = &exec.Cmd{
		Path: self, Args: []string{"subject-init", p.name},
		Env:    []string{pid1.Marker + "=1", "GOMAXPROCS=1"},
		Stdout: p.out, Stderr: p.out,
		ExtraFiles:  []*os.File{orders, status, sockets},
		SysProcAttr: &attributes,
	}
	if err := p.cmd.Start(); err != nil {
		control.Close()
		reports.Close()
		p.sockets.Close()
		return fmt.Errorf("starting the init: %w", errors.Unwrap(err))
	}
	go p.follow(reports)
	// Ignore an error: if the init is gone already, its reports say so, or end.
	_, _ = control.Write(task.Encode())
	return nil
}

// Pid is the process id of the replica's init, the root of its process tree.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Describe names the replica's process.
func (p *Process) Describe() string { return fmt.Sprintf("pid %d", p.Pid()) }

// Done is closed when the last process of the replica is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how the program ended. code is its exit status, or 128 plus the number of the
// signal that ended it. signal is the name of that signal, such as SIGKILL, or "". panicked
// is true if its output ends in a panic of the Go runtime. Exit may be called only after
// Done.
func (p *Process) Exit() (code int, signal string, panicked bool) {
	if p.status == nil { // the init was killed with all the others
		return 128 + int(syscall.SIGKILL), "SIGKILL", false
	}
	if p.status.Signaled() {
		return 128 + int(p.status.Signal()), unix.SignalName(p.status.Signal()), p.panicked
	}
	return p.status.ExitStatus(), "", p.panicked
}

// Signal sends a signal to the program; SIGSTOP and SIGCONT go to all processes of the
// replica. It returns when the signal is sent. On Linux, after SIGSTOP, it returns when the
// program has stopped. The error is os.ErrProcessDone if no process is left.
func (p *Process) Signal(sig os.Signal) error {
	number, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signalling %s: %v is not a signal of this system", p.name, sig)
	}
	target := pid1.ToSubject
	if number == syscall.SIGSTOP || number == syscall.SIGCONT {
		target = pid1.ToTree
	}
	p.orders.Lock()
	defer p.orders.Unlock()
	answer, err := p.order(target, byte(number))
	switch {
	case err != nil:
		return err
	case answer == "":
		return nil
	case answer == syscall.ESRCH.Error():
		return os.ErrProcessDone
	default:
		return fmt.Errorf("signalling %s: %s", p.name, answer)
	}
}

// order tells the init to do something, and waits for its answer. The caller holds the lock
// of orders.
func (p *Process) order(target, number byte) (answer string, err error) {
	if _, err := p.control.Write([]byte{target, number}); err != nil {
		return "", os.ErrProcessDone
	}
	select {
	case answer := <-p.answers:
		return answer, nil
	case <-p.done:
		return "", os.ErrProcessDone
	}
}

// Kill ends all processes of the replica with SIGKILL, and returns when they are gone.
func (p *Process) Kill() error {
	_ = p.control.Close()
	if p.contained {
		_ = p.cmd.Process.Kill() // the kernel kills the others, even if the init gets no time to run
	}
	<-p.done
	return nil
}

// LogTail returns the last lines of the output, at most n, without those of an earlier
// process in the same file.
func (p *Process) LogTail(n int) []string { return p.log.Tail(n) }
