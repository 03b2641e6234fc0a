package standing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/envtest/folder"
)

// leaving is how long a keeper may take to end.
const leaving = 20 * time.Second

// awaitFree waits until no keeper uses the door and its control plane's folder. A keeper
// that was told to end, or killed, needs a moment.
func awaitFree(ctx context.Context, door Door) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, leaving, true, func(context.Context) (bool, error) {
		for _, dir := range []string{filepath.Join(door.dir, "controlplane"), door.dir} {
			if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
				continue // Do not create it here: other users could enter it.
			}
			var held *folder.Folder
			if held, last = folder.Hold(dir); last != nil {
				return false, nil
			}
			if last = held.Release(); last != nil {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the end of another keeper: %w", last)
	}
	return nil
}

// removeFree removes the folder, unless a keeper uses it.
func removeFree(door Door) error {
	held, err := folder.Hold(door.dir)
	if err != nil {
		return nil // Another keeper was faster.
	}
	return held.Remove()
}
