package envtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"reconform.dev/reconform/envtest/folder"
)

// minFree is the disk space that a control plane needs, in bytes: etcd reserves 64 MB for
// its log, and the same again for the next one.
const minFree = 200 << 20

// minFiles is how many files a process must be allowed to open: kube-apiserver and etcd have
// a hundred open at rest, and some hundreds while many clients work.
const minFiles = 512

// workDir is the folder of one control plane.
type workDir struct {
	path      string
	temporary bool
	orphaned  string // a folder that the components' supervisors remove if it is never closed
	held      *folder.Folder
}

// openWorkDir creates the folder of a control plane if necessary, makes sure that nobody else uses
// it, and removes what an earlier control plane left in it.
func openWorkDir(opts *Options) (*workDir, error) {
	w := &workDir{path: opts.WorkDir, temporary: opts.WorkDir == "" || opts.disposable, orphaned: opts.RemoveIfKilled}
	if err := w.open(); err != nil {
		if w.held != nil {
			err = errors.Join(err, w.leave())
		}
		return nil, fmt.Errorf("preparing the work directory: %w", err)
	}
	return w, nil
}

func (w *workDir) open() (err error) {
	unnamed := w.path == ""
	if unnamed {
		if w.held, err = folder.Temporary("envtest-"); err != nil {
			return err
		}
		w.path = w.held.Path()
		if w.orphaned == "" {
			w.orphaned = w.path
		}
	}
	// The components have other working directories.
	if w.path, err = filepath.Abs(w.path); err != nil {
		return err
	}
	if !unnamed {
		if err := os.MkdirAll(w.path, 0o700); err != nil {
			return err
		}
		if w.held, err = folder.Hold(w.path); err != nil {
			return err
		}
	}
	if err := w.clear(); err != nil {
		return err
	}
	if err := os.RemoveAll(w.join("logs")); err != nil {
		return err
	}
	for _, dir := range []string{"logs", "etcd", "certs", "home"} {
		if err := os.MkdirAll(w.join(dir), 0o700); err != nil {
			return err
		}
	}
	if free, err := freeSpace(w.path); err == nil && free < minFree {
		return fmt.Errorf("%s has %d MB free, a control plane needs %d MB", w.path, free>>20, minFree>>20)
	}
	return nil
}

func (w *workDir) join(elem ...string) string {
	return filepath.Join(append([]string{w.path}, elem...)...)
}

// write creates a file that only this user can read.
func (w *workDir) write(name string, data []byte) (string, error) {
	path := w.join(name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("preparing the work directory: %w", err)
	}
	return path, nil
}

// clear removes everything except the logs.
func (w *workDir) clear() error {
	for _, name := range []string{"etcd", "certs", "home", ".supervised", "kubeconfig", "kwok.yaml", "authentication.yaml", etcdSocket, "peers.sock"} {
		if err := os.RemoveAll(w.join(name)); err != nil {
			return err
		}
	}
	return nil
}

// close ends the use of the folder. Only the logs stay, and only if the folder is not
// temporary.
func (w *workDir) close() error {
	if w.temporary {
		return w.leave()
	}
	return errors.Join(w.clear(), w.leave())
}

// leave leaves the folder to others, or removes it if it is temporary.
func (w *workDir) leave() error {
	if w.temporary {
		return w.held.Remove()
	}
	return w.held.Release()
}

// checkFiles returns an error if a process of this user may open too few files.
func checkFiles() error {
	var limit syscall.Rlimit
	// The programs raise their own limit as far as they may.
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Max) >= minFiles {
		return nil
	}
	return fmt.Errorf("a process may open only %d files here, and a control plane needs %d: raise the limit (ulimit -Hn)", limit.Max, minFiles)
}

// freeSpace returns the number of bytes that this user can still write to the file system
// of path.
func freeSpace(path string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil
}
