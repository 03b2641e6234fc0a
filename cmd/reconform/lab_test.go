package main

import (
	"path/filepath"
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

// TestLabFolderWithSpaces: the commands that are printed are those for the folder.
func TestLabFolderWithSpaces(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"lab", "start", "01", "--dir", "my labs"}, "reconform lab check --dir 'my labs'\n"},
		{[]string{"lab", "start", "01", "--dir", "my labs"}, "reconform lab reset --dir 'my labs'\n"},
		{[]string{"lab", "start", "predict/hundred-patches", "--dir", "to predict"}, "reconform lab run --dir 'to predict'\n"},
	} {
		if _, stdout, stderr := run(t, step.args...); !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%v: no %q:\n%s%s", step.args, step.want, stdout, stderr)
		}
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	for want, l := range map[string]*lab.Lab{
		"reconform lab start 02 --dir 'my labs/02-": all[0],
		"reconform lab list --dir 'my labs'\n":      all[len(all)-1],
	} {
		var out strings.Builder
		if err := tellNext(&out, l, &student.Folder{Dir: filepath.Join("my labs", "here"), Progress: student.Progress{Lab: l.Folder}}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("after %s, no %q: %v\n%s", l.Folder, want, err, out.String())
		}
	}
}
