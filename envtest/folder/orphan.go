package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Orphan is a folder whose owner is gone, and that is to be removed.
type Orphan struct {
	path, marker string
	lock         *os.File // nil if the folder has no marker
}

// Inherit takes a folder whose owner is gone, to remove it. Several processes may do so, and until
// all have removed it, or have ended, nobody can [Hold] it. It returns nil if somebody holds it now.
func Inherit(path string) *Orphan {
	for _, marker := range []string{permanent, temporary} {
		name := filepath.Join(path, marker)
		file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = lock(file, name, syscall.LOCK_SH)
		}
		if err != nil {
			_ = file.Close() // nothing else is to be done
			return nil
		}
		return &Orphan{path, marker, file}
	}
	return &Orphan{path: path}
}

// Remove removes the folder with its content.
func (o *Orphan) Remove() error {
	if o.lock == nil {
		return os.RemoveAll(o.path)
	}
	return (&Folder{o.path, o.marker, o.lock}).Remove()
}
