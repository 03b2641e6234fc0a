package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// prefix of the names of temporary folders.
const prefix = "reconform-"

// Temporary creates a folder for this process among the system's temporary files. kind
// becomes a part of its name. It first removes folders that dead processes have left.
func Temporary(kind string) (*Folder, error) { return TemporaryIn(os.TempDir(), kind) }

// TemporaryIn is like Temporary, in a folder of the caller's choice. Its path is absolute, because
// other processes have other working directories, and TMPDIR may be relative.
func TemporaryIn(dir, kind string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder for temporary files: %w", err)
	}
	sweep(dir)
	const attempts = 10
	for attempt := 1; ; attempt++ {
		path, err := os.MkdirTemp(dir, prefix+kind)
		if err != nil {
			return nil, fmt.Errorf("making a temporary folder (set TMPDIR to have it elsewhere): %w", err)
		}
		f, err := hold(path, temporary)
		if err == nil {
			return f, nil
		}
		// Another process that is sweeping may have seen the folder before it was locked.
		swept := errors.Is(err, ErrHeld) || errors.Is(err, fs.ErrNotExist)
		if !swept || attempt == attempts {
			err = fmt.Errorf("making a temporary folder (set TMPDIR to have it elsewhere): %w", err)
			return nil, errors.Join(err, os.RemoveAll(path))
		}
	}
}

// Abandoned tells whether a temporary folder is gone, or nobody holds it.
func Abandoned(path string) bool {
	lock, err := lockIn(path, temporary)
	if err == nil {
		_ = lock.Close() // it was only needed for the check
	}
	return !errors.Is(err, ErrHeld)
}

// sweep removes this user's temporary folders in dir that nobody holds. A folder that
// cannot be removed stays; it disturbs nobody.
func sweep(dir string) {
	found, err := Glob(dir, prefix+"*")
	if err != nil {
		return
	}
	for _, path := range found {
		if !own(path) {
			continue
		}
		if lock, err := lockIn(path, temporary); err == nil {
			_ = (&Folder{path, temporary, lock}).Remove()
		}
	}
}

// own tells whether a folder belongs to this user, because other users can write to the
// system's folder for temporary files, too.
func own(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
