package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The markers. A temporary folder has a different one, so that a folder that must be kept
// is never swept, wherever it is.
const (
	permanent = ".reconform"
	temporary = ".reconform-temporary"
)

// Folder is a folder that this process holds.
type Folder struct {
	path   string
	marker string
	lock   *os.File
}

// Hold takes a folder, and creates it if necessary. It returns an error if another process
// holds the folder, or if it contains anything that is not ours.
func Hold(path string) (*Folder, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, and not a directory: name another folder", path)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder %s: %w", path, err)
	}
	return hold(path, permanent)
}

func hold(path, marker string) (*Folder, error) {
	for {
		lock, err := lockIn(path, marker)
		if err == nil {
			return &Folder{path, marker, lock}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := foreign(path, marker); err != nil {
			return nil, err
		}
		// If another process was faster, the lock decides.
		if err := mark(path, marker); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("taking the folder %s: %w", path, err)
		}
	}
}

// Path returns the path of the folder, as it was given.
func (f *Folder) Path() string { return f.path }

// Release lets other processes take the folder. Its content stays.
func (f *Folder) Release() error { return f.lock.Close() }

// Remove removes the folder with its content. The marker is removed last, so that the rest
// is still known as ours if this process is killed meanwhile.
func (f *Folder) Remove() error {
	defer f.lock.Close()
	entries, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", f.path, err)
	}
	for _, entry := range entries {
		if entry.Name() == f.marker {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.path, entry.Name())); err != nil {
			return fmt.Errorf("removing %s: %w", f.path, err)
		}
	}
	if err := os.RemoveAll(f.path); err != nil {
		return fmt.Errorf("removing %s: %w", f.path, err)
	}
	return nil
}

// Finish removes a temporary folder after its use has ended with err, or without an error. If
// err names something in the folder, such as a log, the folder stays for now: the next process
// that calls [Temporary] removes it. Finish returns err, and what it met with itself.
func (f *Folder) Finish(err error) error {
	if err == nil || !strings.Contains(err.Error(), f.path+string(filepath.Separator)) {
		return errors.Join(err, f.Remove())
	}
	return errors.Join(fmt.Errorf("%w\n(%s stays until Reconform is started again)", err, f.path), f.Release())
}

// ErrHeld says that another process has the lock.
var ErrHeld = errors.New("is in use by another process")

// lockIn locks the marker of a folder. The error is fs.ErrNotExist if there is none.
func lockIn(path, marker string) (*os.File, error) {
	name := filepath.Join(path, marker)
	// If it is not a regular file, do not follow it, and do not wait for it.
	file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("taking the folder %s: %w", path, err)
	}
	if err := lock(file, name, syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return file, nil
}

// lock locks a file that was opened by its name, in the way of flock. The previous holder of the
// lock may have removed the file.
func lock(file *os.File, name string, how int) error {
	if err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return ErrHeld
		}
		return fmt.Errorf("cannot be locked: %w", err)
	}
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	present, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, present) {
		return fmt.Errorf("was removed meanwhile: %w", fs.ErrNotExist)
	}
	return nil
}

func mark(path, marker string) error {
	file, err := os.OpenFile(filepath.Join(path, marker), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString("This folder is Reconform's: it replaces what it finds here.\n")
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name()) // on a full disk
	}
	return err
}

// foreign returns an error if a folder contains anything except folders that are ours.
func foreign(path, marker string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("taking the folder %s: %w", path, err)
	}
	for _, entry := range entries {
		if entry.Name() == marker { // another process has just been here
			return nil
		}
	}
	for _, entry := range entries {
		if !entry.IsDir() || foreign(filepath.Join(path, entry.Name()), permanent) != nil {
			return fmt.Errorf("%s is not empty, and no marker says that it is Reconform's (it holds %s): "+
				"name another folder, or remove this one", path, entry.Name())
		}
	}
	return nil
}
