package folder

import (
	"fmt"
	"syscall"
)

// CheckSocket returns an error if a socket in a folder of temporary files would have too long a
// path. Otherwise that is found out only when the socket is made, as an invalid argument.
func CheckSocket(path string) error {
	const most = len(syscall.RawSockaddrUnix{}.Path) - 1
	if len(path) > most {
		return fmt.Errorf("set TMPDIR to a folder with a shorter path: %s is the path of a socket, and has %d bytes; %d are allowed", path, len(path), most)
	}
	return nil
}
