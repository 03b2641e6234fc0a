package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// StatusUnread is the exit status where the output is Unread: what a shell shows for a
// process that SIGPIPE has ended.
const StatusUnread = 128 + int(syscall.SIGPIPE)

// watchOutput has the context end when nobody reads the output any more. SIGPIPE would
// end the process in the middle of what it does, with its folders left behind. It is
// caught for good: what is printed on the way out would raise it again. A broken
// connection raises it too, and means nothing here.
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

// Unread tells whether nobody reads any more what this process prints, as after
// `| head`.
func Unread() bool { return unread(unix.Stdout) || unread(unix.Stderr) }

// unread tells whether a file is a pipe, or the like, that nobody reads.
func unread(fd int) bool {
	polled := []unix.PollFd{{Fd: int32(fd)}}
	_, err := unix.Poll(polled, 0)
	return err == nil && polled[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
