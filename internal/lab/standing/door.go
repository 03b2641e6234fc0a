package standing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"reconform.dev/reconform/envtest/folder"
)

// Door is the folder in which a keeper and its borrowers meet.
type Door struct{ dir string }

// NewDoor returns the door of this user on this machine.
func NewDoor() Door {
	return Door{filepath.Join(os.TempDir(), fmt.Sprintf("reconform-lab-%d", os.Getuid()))}
}

// open creates the folder, and makes sure that only this user can enter it.
func (d Door) open() error {
	if err := folder.CheckSocket(d.socket()); err != nil {
		return err
	}
	if err := os.Mkdir(d.dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making the folder of the labs' control plane: %w", err)
	}
	info, err := os.Lstat(d.dir)
	if err != nil {
		return fmt.Errorf("looking at the folder of the labs' control plane: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of yours: remove it", d.dir)
	}
	if err := os.Chmod(d.dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of the labs' control plane: %w", err)
	}
	return nil
}

func (d Door) socket() string     { return filepath.Join(d.dir, "door.sock") }
func (d Door) kubeconfig() string { return filepath.Join(d.dir, "kubeconfig") }

// greeting is the first message of a keeper to a borrower whose turn it is.
type greeting struct {
	Kubeconfig string `json:"kubeconfig"`
	BinDir     string `json:"binDir"`
	Build      string `json:"build"` // of the keeper's program
	Fresh      bool   `json:"fresh"` // true if nobody has borrowed it before
}

// The messages of a borrower.
const (
	wordBorrow = "borrow\n"
	wordStop   = "stop\n"
)

// build returns an ID of this program's build. A keeper of another build is replaced.
func build() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding our own executable: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("looking at our own executable: %w", err)
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), nil
}
