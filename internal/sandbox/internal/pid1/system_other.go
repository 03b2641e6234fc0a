//go:build unix && !linux

package pid1

import "syscall"

const likelyHighDescriptor = 1024

func closeOthers() {
	for fd := Status + 1; fd < likelyHighDescriptor; fd++ {
		_ = syscall.Close(fd)
	}
}

// The rest has no counterpart here: what gets killed is the process group.

func adoptOrphans() {}

func dieWithParent(*syscall.SysProcAttr) {}

func renounce() error { return nil }

func awaitStop(int) {}

func killOrphans() {}

func (t *Task) isolate() error { return failed("isolate", syscall.ENOTSUP) }
