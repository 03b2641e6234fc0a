package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable names this program in a way that also works after a rebuild has replaced
// the file.
func executable() (string, error) { return "/proc/self/exe", nil }

// containments lists the ways to contain a subject, the best first.
func containments() []containment {
	const flags = syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWPID
	user, group := os.Geteuid(), os.Getegid()
	own := containment{
		words: "user namespace",
		attributes: syscall.SysProcAttr{
			Setsid:     true,
			Cloneflags: flags | syscall.CLONE_NEWUSER,
			// The init needs to mount and to set the host name. It keeps that right
			// when it is executed, as an ambient capability, since it is not root
			// there.
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
			UidMappings: []syscall.SysProcIDMap{{ContainerID: notRoot(user), HostID: user, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: notRoot(group), HostID: group, Size: 1}},
		},
	}
	if user != 0 {
		return []containment{own}
	}
	return []containment{{words: "namespaces", attributes: syscall.SysProcAttr{Setsid: true, Cloneflags: flags}, drop: true}, own}
}
