package main

import (
	"strings"
	"testing"
	"unicode/utf8"

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

// TestLabListIsNarrow: a terminal of 80 columns shows each lab in one line, however far the
// student is.
func TestLabListIsNarrow(t *testing.T) {
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	progress := map[string]*student.Folder{}
	for _, l := range all {
		reached := make([]string, len(l.Asked()))
		progress[l.Folder] = &student.Folder{Progress: student.Progress{Lab: l.Folder, Checks: 1, Reached: reached}}
	}
	var out strings.Builder
	listLabs(&out, all, progress)
	if got, want := strings.Count(out.String(), " of "), len(all); got < want {
		t.Fatalf("%d of %d labs have progress:\n%s", got, want, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
