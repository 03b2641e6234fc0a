package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"reconform.dev/reconform/internal/mutant"
)

// Every folder of mutants has the name of an existing controller.
func TestMainFolder(t *testing.T) {
	root := filepath.Join("..", "..")
	patches, err := filepath.Glob(filepath.Join(root, mutant.Dir, "*", "*.patch"))
	if err != nil || len(patches) == 0 {
		t.Fatalf("found %d patches, error %v", len(patches), err)
	}
	for _, file := range patches {
		if _, err := mainFolder(root, filepath.Base(filepath.Dir(file))); err != nil {
			t.Error(err)
		}
	}
	if _, err := mainFolder(root, "nobody"); err == nil {
		t.Error("no error for a controller that does not exist")
	}
}

// Every patch fits the controller and the profile of today. The kill matrix would notice,
// but only after minutes.
func TestPatchesApply(t *testing.T) {
	root := filepath.Join("..", "..")
	mutants, err := mutant.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	bases, err := readBases(root, mutants)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		if err := m.Apply(maps.Clone(bases[m.Base].files)); err != nil {
			t.Error(err)
		}
	}
}

// TestFolderWithASpace: a checkout may be in a folder that has a space in its path.
func TestFolderWithASpace(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a checkout")
	for name, text := range map[string]string{"go.mod": "module " + module + "\n", "mine/main.go": "package main\n\nfunc main() {}\n"} {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	b := &base{main: "mine", files: map[string][]byte{}}
	if err := b.readSources(root); err != nil || len(b.files["mine/main.go"]) == 0 {
		t.Errorf("it read %d files: %v", len(b.files), err)
	}
}
