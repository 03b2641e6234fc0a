package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// prefix of the names of temporary folders.
const prefix = "reconform-"

// Temporary makes a folder among the system's temporary files, for this process alone.
// The kind is a part of its name. It first removes those that dead processes have left.
func Temporary(kind string) (*Folder, error) { return TemporaryIn(os.TempDir(), kind) }

// TemporaryIn is Temporary in a folder of the caller's choice.
func TemporaryIn(dir, kind string) (*Folder, error) {
	sweep(dir)
	const attempts = 10
	for attempt := 1; ; attempt++ {
		path, err := os.MkdirTemp(dir, prefix+kind)
		if err != nil {
			return nil, fmt.Errorf("making a temporary folder: %w", err)
		}
		f, err := hold(path, temporary)
		if err == nil {
			return f, nil
		}
		// Another process that sweeps just now may have seen it without its lock.
		if attempt == attempts {
			return nil, errors.Join(fmt.Errorf("making a temporary folder: %w", err), os.RemoveAll(path))
		}
	}
}

// Abandoned tells whether a temporary folder is gone, or nobody holds it.
func Abandoned(path string) bool {
	lock, err := lockIn(path, temporary)
	if err == nil {
		_ = lock.Close() // it was only read
	}
	return !errors.Is(err, errHeld)
}

// sweep removes the temporary folders of this user in dir that nobody holds. What cannot
// be removed stays: it is in nobody's way.
func sweep(dir string) {
	found, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
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

// own tells whether a folder is this user's. Others may write to the system's folder
// for temporary files, too.
func own(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
