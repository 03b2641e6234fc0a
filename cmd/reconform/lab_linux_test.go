package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLabCheck: the first check starts a control plane, which stop ends. Nothing is left.
func TestLabCheck(t *testing.T) {
	startsControlPlane(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv(commandEnv, "yes") // the process in the background is this binary, too
	work := filepath.Join(t.TempDir(), "work")
	if status, _, stderr := run(t, "lab", "start", "1", "--dir", work); status != statusOK {
		t.Fatal(stderr)
	}
	t.Cleanup(func() {
		if status, _, stderr := run(t, "lab", "stop"); status != statusOK {
			t.Errorf("stop: %s", stderr)
		}
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
	for range 2 { // The second one meets the control plane of the first.
		status, stdout, stderr := run(t, "lab", "check", "--dir", work)
		if status != 1 || !strings.Contains(stdout, `no line "Added `) || !strings.Contains(stdout, "0 of 6 reached") {
			t.Fatalf("check: status %d: %s%s", status, stdout, stderr)
		}
	}
}
