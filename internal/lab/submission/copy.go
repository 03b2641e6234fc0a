package submission

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Limits of the size of a submission.
type Limits struct {
	Files int // folders and links count, too
	Bytes int64
}

// Usual returns limits that are higher than a controller's sources and the modules of
// another language need.
func Usual() Limits { return Limits{Files: 30_000, Bytes: 512 << 20} }

// Refused says why a submission is refused.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

func refused(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// leftOut are folders that contain nothing to be graded.
var leftOut = []string{".git", ".idea", ".vscode"}

// Copy copies the content of a folder into a new one. The error is a *Refused if the
// submission is refused.
func Copy(from, to string, limits Limits) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return refused("it cannot be read: %v", err)
	}
	defer source.Close()
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("taking in a submission: %w", err)
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		return fmt.Errorf("taking in a submission: %w", err)
	}
	defer target.Close()
	c := &copying{limits: limits, source: source, target: target}
	return fs.WalkDir(source.FS(), ".", c.entry)
}

type copying struct {
	limits         Limits
	source, target *os.Root
	files          int
	bytes          int64
}

// entry copies one entry of the folder.
func (c *copying) entry(name string, entry fs.DirEntry, err error) error {
	if err != nil {
		return refused("%s cannot be read: %v", name, err)
	}
	if c.files++; c.files > c.limits.Files {
		return refused("it has more than %d files", c.limits.Files)
	}
	switch kind := entry.Type(); {
	case name == ".":
		return nil
	case kind.IsDir() && slices.Contains(leftOut, entry.Name()):
		return fs.SkipDir
	case kind.IsDir():
		return c.target.Mkdir(name, 0o755)
	case kind == fs.ModeSymlink:
		return c.link(name)
	case kind.IsRegular():
		return c.file(name)
	default:
		return refused("%s is neither a file nor a folder", name)
	}
}

// link copies a link that stays inside the folder.
func (c *copying) link(name string) error {
	to, err := c.source.Readlink(name)
	if err != nil {
		return refused("%s cannot be read: %v", name, err)
	}
	if _, err := c.source.Stat(name); err != nil || filepath.IsAbs(to) {
		return refused("%s is a link that leads to nothing in the submission", name)
	}
	return c.target.Symlink(to, name)
}

func (c *copying) file(name string) error {
	// A file may have become a pipe by now. Opening it must not block.
	in, err := c.source.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return refused("%s cannot be read: %v", name, err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return refused("%s cannot be read: %v", name, err)
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := c.target.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("taking in %s: %w", name, err)
	}
	n, err := io.Copy(out, io.LimitReader(in, c.limits.Bytes-c.bytes+1))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("taking in %s: %w", name, err)
	}
	if c.bytes += n; c.bytes > c.limits.Bytes {
		return refused("it has more than %d bytes", c.limits.Bytes)
	}
	return nil
}
