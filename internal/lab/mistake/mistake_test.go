package mistake_test

import (
	"io/fs"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

// TestGivenDiffers: what each debug lab gives to a student is not the solution.
func TestGivenDiffers(t *testing.T) {
	patches, err := fs.Glob(labs.FS, "debug/*/"+mistake.File)
	if err != nil || len(patches) == 0 {
		t.Fatalf("%v, %v", patches, err)
	}
	for _, patch := range patches {
		lab := path.Dir(patch)
		given, err := student.Files(labs.FS, lab, "start")
		if err != nil {
			t.Error(err)
			continue
		}
		solution, err := student.Files(labs.FS, lab, "solution")
		if err != nil {
			t.Fatal(err)
		}
		if cmp.Equal(given, solution) {
			t.Errorf("%s gives the solution", lab)
		}
	}
}
