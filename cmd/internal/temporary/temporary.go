package temporary

import (
	"fmt"
	"os"
	"path/filepath"
)

// status is the exit status of a bench that failed.
const status = 3

func init() {
	if err := check(); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(status)
	}
}

// check makes the folder that envtest looks for, in the first place where that is
// possible.
func check() error {
	caches, err := os.UserCacheDir()
	if err == nil {
		err = folderIn(caches)
	}
	if err == nil {
		return nil
	}
	if another := folderIn(os.TempDir()); another != nil {
		return fmt.Errorf("no temporary files can be written: %w; %w: set TMPDIR to a folder where they can", err, another)
	}
	return nil
}

func folderIn(parent string) error {
	return os.MkdirAll(filepath.Join(parent, "kubebuilder-envtest"), 0o750)
}
