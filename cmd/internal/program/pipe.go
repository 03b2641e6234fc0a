package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// StatusUnread is the exit status if the output is Unread: the one that a shell shows for a
// process that SIGPIPE has ended.
const StatusUnread = 128 + int(syscall.SIGPIPE)

// watchOutput ends the context when nobody reads the output any more. Without it,
// SIGPIPE would end the process in the middle of its work, and leave its folders
// behind. The signal stays caught, because what is printed during the shutdown would
// raise it again. A broken network connection raises the signal, too, which is ignored
// here.
func watchOutput(end context.CancelFunc) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for range broken {
			if Unread() {
				end()
				return
			}
		}
	}()
}

// Unread tells whether nobody reads the output of this process any more, for example after
// `| head`.
func Unread() bool { return unread(unix.Stdout) || unread(unix.Stderr) }

// unread tells whether a file is a pipe (or similar) that nobody reads.
func unread(fd int) bool {
	polled := []unix.PollFd{{Fd: int32(fd)}}
	_, err := unix.Poll(polled, 0)
	return err == nil && polled[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
