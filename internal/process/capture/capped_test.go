package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestCapped: everything beyond the limit is left out, and the log says so once.
func TestCapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, text := range []string{"first,", "second,", "third"} {
		log, err := OpenCapped(path, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{text[:2], text[2:]} {
			if n, err := log.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("Write(%q) = %d, %v", part, n, err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "first,seco" + fmt.Sprintf(limitReached, 10); string(got) != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
}
