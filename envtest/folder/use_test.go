package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestUse: a folder is removed only after the last of those who use it has left.
func TestUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "binaries")
	if err := os.Mkdir(path, 0o555); err != nil {
		t.Fatal(err)
	}
	var users []*os.File
	for range 2 {
		user, err := Use(path)
		if err != nil {
			t.Fatal(err)
		}
		users = append(users, user)
	}
	for _, user := range users {
		if err := RemoveUnused(path); !errors.Is(err, ErrHeld) {
			t.Errorf("removed while it is used: %v", err)
		}
		if err := user.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveUnused(path); err != nil {
		t.Error(err)
	}
	if _, err := Use(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a use of what is gone: %v", err)
	}
}
