package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"reconform.dev/reconform/labs"
)

// TestModule: every start and every solution compiles, and go vet finds nothing in them.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 15 seconds")
	}
	dir := filepath.Join(t.TempDir(), "labs")
	if err := module(labs.FS, dir); err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, pattern := range []string{"*/start", "*/solution", "beyond/*/start", "beyond/*/solution", "debug/*/start"} {
		folders, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			t.Fatal(err)
		}
		made[filepath.Base(pattern)] += len(folders)
	}
	if made["start"] < 12+7+1+20 || made["solution"] < 12+7 {
		t.Errorf("made %v", made)
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "./...")
	vet.Dir, vet.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
