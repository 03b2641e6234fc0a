//go:build unix && !linux

package supervisor

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

// The rest does not exist on these systems: only the child's process group is killed.

func dieWithParent(*syscall.SysProcAttr) {}

func adoptOrphans() {}

func killOrphans() {}
