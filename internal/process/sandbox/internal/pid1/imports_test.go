//go:build unix

package pid1_test

import (
	"go/build"
	"slices"
	"testing"
)

// TestImports: with one more import, the init would begin only after Go has initialised
// the packages of the whole bench.
func TestImports(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pkg.Imports {
		if !slices.Contains([]string{"runtime", "syscall", "unsafe"}, path) {
			t.Errorf("imports %s", path)
		}
	}
}
