package supervisor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"reconform.dev/reconform/envtest/folder"
)

// installed protects a program that uses this package but never calls Main: its supervisors
// would run the program itself, which would start supervisors, and so on.
var installed atomic.Bool

// Main takes over if this process was started as a supervisor, and then never returns.
// Otherwise it does nothing. It must be the first statement of main and of TestMain.
func Main() {
	s, args, err := specOf(os.Args)
	if s == nil && err == nil {
		installed.Store(true)
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "supervisor: %v\n", err)
		os.Exit(126)
	}
	os.Exit(s.supervise(args))
}

// supervise runs the child until it ends or the lifeline breaks, and returns the exit
// status.
func (s *spec) supervise(args []string) int {
	// The kernel kills the child when the thread that started it ends, so this thread must
	// not end before the process.
	runtime.LockOSThread()
	fail := func(err error) int {
		fmt.Fprintf(os.Stderr, "supervisor of %s: %v\n", filepath.Base(s.Path), err)
		return 126
	}

	line, err := s.openLifeline()
	if err != nil {
		return fail(err)
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	adoptOrphans()

	child := &exec.Cmd{
		Path: s.Path, Args: append([]string{s.Path}, args...),
		Env:   append(os.Environ(), s.Env...),
		Dir:   s.Dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Credential: s.Credential},
	}
	dieWithParent(child.SysProcAttr)
	if err := child.Start(); err != nil {
		return fail(fmt.Errorf("starting the child: %w", err))
	}
	debug.FreeOSMemory() // left over from the program's initialisation: there are many supervisors

	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	group := -child.Process.Pid
	var graceOver <-chan time.Time
	orphaned := false
	var left *folder.Orphan
	for {
		select {
		case sig := <-signals:
			_ = child.Process.Signal(sig)
		case _, dismissed := <-line:
			line, orphaned = nil, !dismissed && s.Remove != ""
			if orphaned {
				left = folder.Inherit(s.Remove) // at once, before the next owner comes
			}
			if s.Grace > 0 {
				_ = syscall.Kill(group, syscall.SIGTERM)
				_ = syscall.Kill(group, syscall.SIGCONT) // otherwise a stopped child would not notice
			}
			graceOver = time.After(s.Grace)
		case <-graceOver:
			_ = syscall.Kill(group, syscall.SIGKILL)
		case err := <-ended:
			_ = syscall.Kill(group, syscall.SIGKILL) // everything that it left behind
			killOrphans()
			if orphaned && left == nil {
				left = folder.Inherit(s.Remove) // the kernel may have been about to end the parent
			}
			if left != nil {
				_ = left.Remove() // another supervisor may be doing it, too
			}
			return s.report(err)
		}
	}
}

// report returns the exit status that tells the parent how the child ended. If a signal
// ended the child, the supervisor ends by the same signal, if it can.
func (s *spec) report(err error) int {
	if err == nil {
		return 0
	}
	if s.Report {
		fmt.Fprintf(os.Stderr, "supervisor: %s ended: %v\n", filepath.Base(s.Path), err)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 126
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return exit.ExitCode()
	}
	switch sig := status.Signal(); sig {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		signal.Reset(sig)
		if syscall.Kill(os.Getpid(), sig) == nil {
			time.Sleep(time.Second) // the signal is on its way
		}
	}
	return 128 + int(status.Signal()) // the other signals would make the Go runtime print a stack, or write a core file
}
