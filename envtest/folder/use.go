package folder

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Use says that this process needs what is in a folder, until it closes the result, or ends.
// Any number of processes may use a folder.
func Use(path string) (*os.File, error) { return lockWhole(path, syscall.LOCK_SH) }

// RemoveUnused removes a folder with its content. The error is [ErrHeld] if a process uses it.
func RemoveUnused(path string) error {
	held, err := lockWhole(path, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer held.Close()
	return os.RemoveAll(path)
}

// lockWhole locks a folder itself, and not a marker in it: the folder may be read-only.
func lockWhole(path string, how int) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(dir.Fd()), how|syscall.LOCK_NB); err != nil {
		dir.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrHeld
		}
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return dir, nil
}
