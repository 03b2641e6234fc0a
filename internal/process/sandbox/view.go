//go:build unix

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

const (
	scratchOptions = "mode=1777,size=256m"
	hiddenOptions  = "mode=0755,size=256m"
)

// view is what a contained subject sees of the machine's file system.
type view struct {
	// drop is true if the subject runs as another user than the bench.
	drop   bool
	mounts []pid1.Mount
	// masks are all folders to hide, also those below a folder that is hidden already.
	masks []pid1.Mount
}

// hide puts an empty file system over path. It does nothing if path does not exist.
func (v *view) hide(path, options string) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() || path == "/" {
		return
	}
	mask := pid1.Mount{Path: path, Options: options}
	v.masks = append(v.masks, mask)
	if _, hidden := v.nearest(path); !hidden {
		v.mounts = append(v.mounts, mask)
	}
}

// reveal lets the subject reach path and everything below it, under its own name. It makes
// path visible if something hides it, or if it lies in a folder that the subject must not
// enter. Nothing else in such a folder becomes visible, and neither does what is hidden
// below path. Links in path must be resolved.
func (v *view) reveal(path string) {
	base, hidden := v.nearest(path)
	if !hidden {
		blocker := v.blocker(base, path)
		if blocker == "" {
			return
		}
		v.mounts = append(v.mounts, pid1.Mount{Path: blocker, Options: hiddenOptions})
	}
	v.mounts = append(v.mounts, pid1.Mount{Path: path})
	for _, mask := range v.masks {
		if mask.Path != path && within(mask.Path, path) {
			v.mounts = append(v.mounts, mask)
		}
	}
}

// open lets the subject reach path and write to it. Links in path must be resolved.
func (v *view) open(path string) {
	v.reveal(path)
	v.mounts = append(v.mounts, pid1.Mount{Path: path, Writable: true})
}

// nearest returns the innermost mount that contains path, and whether it hides what was
// there.
func (v *view) nearest(path string) (base string, hidden bool) {
	base = "/"
	for _, m := range v.mounts {
		if len(m.Path) >= len(base) && within(path, m.Path) {
			base, hidden = m.Path, m.Options != ""
		}
	}
	return base, hidden
}

// blocker returns the outermost folder, from base down to path, that the subject must not
// enter, or "".
func (v *view) blocker(base, path string) string {
	if !v.drop {
		return ""
	}
	blocker := ""
	for dir := filepath.Dir(path); within(dir, base) && dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && !allowed(info, 0o1) {
			blocker = dir
		}
	}
	return blocker
}

func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// allowed tells whether the unprivileged subject has these rights: 4 means read, 1 means
// execute or enter.
func allowed(info fs.FileInfo, rights fs.FileMode) bool {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == unprivileged {
		rights <<= 6
	}
	return info.Mode()&rights == rights
}

// permit returns an error if the subject has no right to use the program or a folder.
func (p place) permit() error {
	if err := permit("program", p.program, 0o1); err != nil {
		return err
	}
	if p.directory != "" {
		if err := permit("directory", p.directory, 0o5); err != nil {
			return err
		}
	}
	if p.writable != "" {
		if err := permit("writable folder", p.writable, 0o7); err != nil {
			return err
		}
	}
	for _, path := range p.readable {
		if err := permit("readable folder", path, 0o5); err != nil {
			return err
		}
	}
	return nil
}

// permit returns an error if the subject has no right to use a program or directory.
func permit(what, path string, rights fs.FileMode) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !allowed(info, rights) {
		return fmt.Errorf("%s %s: its mode %04o keeps out user %d, which subjects run as when the bench runs as root (chmod o+rx)",
			what, path, info.Mode().Perm(), unprivileged)
	}
	return nil
}
