package pid1

import (
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have. System calls added since Linux 5.1 have the
// same number on all architectures.
const (
	prSetName            = 15
	prSetNoNewPrivs      = 38
	prSetChildSubreaper  = 36
	sysCloseRange        = 436
	capabilityVersion3   = 0x20080522
	highestDescriptor    = ^uint32(0)
	likelyHighDescriptor = 1024
	waitProcess          = 1 // P_PID
	waitNoReap           = 0x01000000
)

func prctl(option int, argument uintptr) error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, uintptr(option), argument, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// closeOthers closes the file descriptors that the bench has inherited without knowing.
func closeOthers() {
	name := [16]byte{}
	copy(name[:15], "subject-init")
	_ = prctl(prSetName, uintptr(unsafe.Pointer(&name)))
	_, _, errno := syscall.RawSyscall(sysCloseRange, Sockets+1, uintptr(highestDescriptor), 0)
	if errno != 0 {
		for fd := Sockets + 1; fd < likelyHighDescriptor; fd++ {
			_ = syscall.Close(fd)
		}
	}
}

// adoptOrphans makes this process the parent of processes that the subject leaves behind.
func adoptOrphans() { _ = prctl(prSetChildSubreaper, 1) }

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// dropPrivileges removes, for everything that this thread starts, what a subject must not
// have: ways to gain or inherit privileges, and ignored signals.
func dropPrivileges() error {
	if err := prctl(prSetNoNewPrivs, 1); err != nil {
		return failed("giving up new privileges", err)
	}
	header := struct {
		version uint32
		pid     int32
	}{version: capabilityVersion3}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0); errno != 0 {
		return failed("reading capabilities", errno)
	}
	// The ambient capabilities end with these. Those of root end with its user id.
	sets[0].inheritable, sets[1].inheritable = 0, 0
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0); errno != 0 {
		return failed("dropping capabilities", errno)
	}
	// A shell ignores these in background jobs, and the Go runtime does not change that.
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		var byDefault [64]byte // struct sigaction, all zero on every architecture
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	}
	return nil
}

// forkOpened starts a program below a folder that the subject's user must not enter. The
// program must be self-contained: a script could not be read.
func (t *Task) forkOpened(attr *syscall.ProcAttr) (int, error) {
	fd, err := syscall.Open(t.Path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	return syscall.ForkExec("/proc/self/fd/"+decimal(fd), t.Args, attr)
}

// awaitStop waits until the subject has stopped or has ended, because SIGSTOP only starts
// the stop. It does not reap the subject.
func awaitStop(pid int) {
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, waitProcess, uintptr(pid), 0,
			syscall.WSTOPPED|syscall.WEXITED|waitNoReap, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// killOrphans kills the processes that the subject has left behind, whatever session they
// have moved to. When one dies, its children become children of this process.
func killOrphans() {
	for {
		children := children()
		if len(children) == 0 {
			return
		}
		for _, pid := range children {
			if syscall.Kill(pid, syscall.SIGKILL) != nil {
				return // it belongs to another user: it would be refused the next time, too
			}
			var status syscall.WaitStatus
			for {
				if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
					break
				}
			}
		}
	}
}

// children lists the direct children of this process. All belong to its main thread,
// because only that thread starts and adopts them.
func children() []int {
	fd, err := syscall.Open("/proc/thread-self/children", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var pids []int
	number, digits := 0, false
	for buf := make([]byte, 4096); ; {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return pids
		}
		for _, c := range buf[:n] {
			switch {
			case c >= '0' && c <= '9':
				number, digits = 10*number+int(c-'0'), true
			case digits:
				pids = append(pids, number)
				number, digits = 0, false
			}
		}
	}
}
