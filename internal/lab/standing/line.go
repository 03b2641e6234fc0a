package standing

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// parent is the descriptor by which a keeper tells who has started it how that went.
const parent = 3

// Parent is the way from a keeper to the process that has started it. What is written is
// why it failed; once it is closed, the keeper is ready, or has ended.
func Parent() (*os.File, error) {
	if _, err := unix.FcntlInt(parent, unix.F_GETFD, 0); err != nil {
		return nil, errors.New("it is started by the other commands, and not by hand")
	}
	unix.CloseOnExec(parent) // Its children must not keep it open.
	return os.NewFile(parent, "parent"), nil
}
