package supervisor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable returns a path of this program that also works after a rebuild has replaced
// the file.
func executable() (string, error) { return "/proc/self/exe", nil }

// dieWithParent makes the kernel kill the child if the supervisor itself is killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// adoptOrphans makes this process the parent of descendants whose own parent has died, in
// any group or session. If the kernel refuses, only the child's group is killed.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// killOrphans kills the processes that the child has left behind. When one dies, its
// children become children of this process, until none is left.
func killOrphans() {
	for killed := true; killed; {
		killed = false
		for _, pid := range children() {
			if syscall.Kill(pid, syscall.SIGKILL) != nil {
				continue // it belongs to another user: the kernel would refuse the next time, too
			}
			var status syscall.WaitStatus
			for {
				if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
					break
				}
			}
			killed = true
		}
	}
}

// children lists the direct children of this process, over all its threads.
func children() []int {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	var pids []int
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
