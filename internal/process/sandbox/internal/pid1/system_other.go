//go:build unix && !linux

package pid1

import "syscall"

const likelyHighDescriptor = 1024

func closeOthers() {
	for fd := Sockets + 1; fd < likelyHighDescriptor; fd++ {
		_ = syscall.Close(fd)
	}
}

// The rest does not exist on these systems: only the process group is killed.

func adoptOrphans() {}

func dieWithParent(*syscall.SysProcAttr) {}

func dropPrivileges() error { return nil }

func awaitStop(int) {}

func (t *Task) forkOpened(*syscall.ProcAttr) (int, error) { return 0, syscall.EACCES }

func limit() error { return nil }

func killOrphans() {}

func handOverSocket() error { return failed("making a socket", syscall.ENOTSUP) }

func (t *Task) isolate() error { return failed("isolating the subject", syscall.ENOTSUP) }
