package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable returns a path of this program that also works after a rebuild has replaced
// the file.
func executable() (string, error) { return "/proc/self/exe", nil }

// containments lists the ways to contain a subject, the best first.
func containments() []containment {
	const flags = syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
	ways := []containment{}
	for _, network := range []bool{true, false} {
		flags, words := uintptr(flags), " without a network of their own"
		if network {
			flags, words = flags|syscall.CLONE_NEWNET, ""
		}
		if os.Geteuid() == 0 {
			ways = append(ways, containment{
				words:      "namespaces" + words,
				attributes: syscall.SysProcAttr{Setsid: true, Cloneflags: flags}, drop: true, network: network,
			})
		}
		ways = append(ways, containment{words: "user namespaces" + words, attributes: asUser(flags), network: network})
	}
	return ways
}

// asUser makes an init create its namespaces below a user namespace.
func asUser(flags uintptr) syscall.SysProcAttr {
	user, group := os.Geteuid(), os.Getegid()
	return syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: flags | syscall.CLONE_NEWUSER,
		// The init needs to mount, to set the hostname, and to open its network. It keeps these
		// rights through exec as ambient capabilities, because it is not root there.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE},
		UidMappings: []syscall.SysProcIDMap{{ContainerID: notRoot(user), HostID: user, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: notRoot(group), HostID: group, Size: 1}},
	}
}
