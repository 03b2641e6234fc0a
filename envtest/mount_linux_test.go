package envtest

import (
	"strings"
	"syscall"
	"testing"
)

func mountTmpfs(t *testing.T, dir, options string) error {
	var flags uintptr
	if rest, ok := strings.CutPrefix(options, "ro,"); ok {
		options, flags = rest, syscall.MS_RDONLY
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return nil
}
