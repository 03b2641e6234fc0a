package discover

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteAll: what could not be written is not lost, and the other files are written.
func TestWriteAll(t *testing.T) {
	there, gone := filepath.Join(t.TempDir(), "mine.yaml"), filepath.Join(t.TempDir(), "gone", "mine-setup.yaml")
	err := writeAll(map[string][]byte{there: []byte("kind: Profile\n"), gone: []byte("kind: Secret\n")})
	var unwritten *Unwritten
	if !errors.As(err, &unwritten) || !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the error is %v, want one that has the files, and the cause", err)
	}
	if got, want := unwritten.Text(), "# ----- "+gone+"\nkind: Secret\n\n"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if data, err := os.ReadFile(there); err != nil || string(data) != "kind: Profile\n" {
		t.Errorf("%s has %q, %v", there, data, err)
	}
}
