//go:build unix

package pid1

import (
	"runtime"
	"syscall"
)

// init takes over if this process was started as an init, and then never returns. It runs
// on the main thread, for two reasons: privileges belong to a thread, and a child may die
// with the thread that started it.
func init() {
	if _, ok := syscall.Getenv(Marker); !ok {
		return
	}
	runtime.LockOSThread()
	closeOthers()
	syscall.CloseOnExec(Control)
	syscall.CloseOnExec(Status)
	syscall.CloseOnExec(Sockets)
	task := receiveTask()
	if task == nil {
		syscall.Exit(1)
	}
	if err := task.run(); err != nil {
		report(Failed, err.Error())
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

// run starts the subject and returns only after its end.
func (t *Task) run() error {
	if err := limit(); err != nil {
		return err
	}
	if t.Contained {
		if err := t.isolate(); err != nil {
			return err
		}
	} else {
		adoptOrphans()
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	if t.Path == "" {
		return t.tryDrop()
	}
	attr := &syscall.ProcAttr{
		Dir: t.Directory, Env: t.Env, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	if t.Drop {
		attr.Sys.Credential = &syscall.Credential{Uid: t.User, Gid: t.Group}
	}
	if !t.Contained {
		dieWithParent(attr.Sys)
	}
	pid, err := syscall.ForkExec(t.Path, t.Args, attr)
	if err == syscall.EACCES && t.Drop && !t.Contained {
		pid, err = t.forkOpened(attr)
	}
	if err != nil {
		return failed("executing it", err)
	}
	report(Started, "")
	go t.serveSignals(pid)
	t.reap(pid)
	return nil
}

// tryDrop becomes the subject's user, only to see whether that is possible.
func (t *Task) tryDrop() error {
	if !t.Drop {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return failed("leaving the supplementary groups", err)
	}
	if err := syscall.Setgid(int(t.Group)); err != nil {
		return failed("changing the group", err)
	}
	return failed("changing the user", syscall.Setuid(int(t.User)))
}

// serveSignals delivers the signals that the bench asks for. It ends the tree when the
// bench is gone or tells it to.
func (t *Task) serveSignals(pid int) {
	for order := make([]byte, 2); receive(order); {
		if order[0] == ToSocket {
			report(Signaled, text(handOverSocket()))
			continue
		}
		target := pid
		if order[0] == ToTree {
			target = t.tree(pid)
		}
		err := syscall.Kill(target, syscall.Signal(order[1]))
		if err == nil && syscall.Signal(order[1]) == syscall.SIGSTOP {
			awaitStop(pid)
		}
		report(Signaled, text(err))
	}
	if t.Contained {
		syscall.Exit(1) // the kernel kills everything in the namespace of process 1
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	_ = syscall.Kill(t.tree(pid), syscall.SIGKILL)
}

// tree returns the argument of kill(2) that means all processes of the subject.
func (t *Task) tree(pid int) int {
	if t.Contained {
		return -1
	}
	return -pid
}

// reap waits for the subject's end and reports it. It also collects the exit statuses of
// all other processes.
func (t *Task) reap(pid int) {
	var status syscall.WaitStatus
	for {
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		if ended != pid {
			continue
		}
		if !t.Contained {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			killOrphans()
		}
		var e encoder
		e.number(uint32(status))
		report(Exited, string(e))
		return
	}
}
