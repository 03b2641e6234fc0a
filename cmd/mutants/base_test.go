package main

import (
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
