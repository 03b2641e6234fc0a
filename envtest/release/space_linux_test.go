package release

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk: if the disk becomes full, no part of the release is left.
func TestFullDisk(t *testing.T) {
	packed := pack(t, whole(t))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed) }))
	t.Cleanup(server.Close)
	for what, archive := range map[string]Archive{
		"while downloading": {Location: server.URL + "/archive", SHA256: sumOf(packed)},
		"while unpacking":   {Location: write(t, packed, t.TempDir(), "archive"), SHA256: sumOf(packed)},
	} {
		t.Run(what, func(t *testing.T) {
			small := t.TempDir()
			if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
				t.Skipf("a small file system can be made by root only: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(small, 0); err != nil {
					t.Error(err)
				}
			})
			dest := filepath.Join(small, "k8s", version)
			err := archive.Install(t.Context(), version, dest)
			if err == nil || !strings.Contains(err.Error(), "no space left on device") {
				t.Errorf("got %v", err)
			}
			if left := files(t, small); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}
