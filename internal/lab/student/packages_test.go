package student

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"reconform.dev/reconform/labs"
)

// TestPackages: every start and every solution compiles, and go vet finds nothing in them.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 15 seconds")
	}
	files, err := Packages(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	made := map[string]int{}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := Write(filepath.Dir(file), map[string]string{filepath.Base(file): text}); err != nil {
			t.Fatal(err)
		}
		if path.Base(name) == "main.go" {
			made[path.Base(path.Dir(name))]++
		}
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
