package standing

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// parent is the descriptor with which a keeper reports to the process that has started it.
const parent = 3

// Parent returns the pipe from a keeper to the process that has started it. The keeper
// writes an error to it if it fails. When the pipe is closed, the keeper is ready, or has
// ended.
func Parent() (*os.File, error) {
	if _, err := unix.FcntlInt(parent, unix.F_GETFD, 0); err != nil {
		return nil, errors.New("it is started by the other commands, and not by hand")
	}
	unix.CloseOnExec(parent) // Child processes must not keep it open.
	return os.NewFile(parent, "parent"), nil
}
