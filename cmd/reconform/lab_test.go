package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/labs"
)

// TestLabSolutionDiff: the output of --diff, applied to the start, makes the solution.
func TestLabSolutionDiff(t *testing.T) {
	t.Chdir(t.TempDir())
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if hasSolution(l) != nil {
			continue
		}
		status, stdout, stderr := run(t, "lab", "solution", l.Folder, "--print", "--diff")
		if status != statusOK {
			t.Fatalf("%s: %s", l.Folder, stderr)
		}
		files, err := student.Files(labs.FS, l.Folder, "start")
		if err != nil {
			t.Fatal(err)
		}
		want, err := student.Files(labs.FS, l.Folder, "solution")
		if err != nil {
			t.Fatal(err)
		}
		patch, _, err := mutant.ParsePatch([]byte(strings.NewReplacer("--- start/", "--- ", "+++ solution/", "+++ ").Replace(stdout)))
		if err != nil {
			t.Fatalf("%s: %v\n%s", l.Folder, err, stdout)
		}
		if err := patch.Change(files); err != nil {
			t.Errorf("%s: %v\n%s", l.Folder, err, stdout)
		}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("%s (-solution +what the diff makes):\n%s", l.Folder, diff)
		}
	}
}
