package main

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/grade"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

// class has a whole class graded: solutions, starts, mistakes and hostile ones.
var class = flag.Bool("class", false, "grade thirty submissions, and not a few")

// handedIn is a submission, and what is to become of it.
type handedIn struct {
	name, lab, point string
	main             string // a main.go in the place of all others
	outcome          grade.Outcome
	all              bool
	lacks            string // a check that is not reached
}

// sample are those of every test: one that reaches all, one whose build has no end, and one
// that prints what it can find, without end.
var sample = []handedIn{
	{name: "done", lab: "03-create-the-deployment", point: "solution", outcome: grade.Judged, all: true},
	{name: "explodes", lab: "01-watch-and-print", point: "start", main: explodingBuild(), outcome: grade.NotBuilt},
	{name: "prints", lab: "03-create-the-deployment", point: "start", main: printing, outcome: grade.Judged, lacks: "RC-001"},
}

// others are the rest of the class.
var others = []handedIn{
	{name: "begun", lab: "03-create-the-deployment", point: "start", outcome: grade.Judged, lacks: "RC-001"},
	{name: "forks", lab: "03-create-the-deployment", point: "start", main: forking, outcome: grade.Judged, lacks: "RC-001"},
	{name: "loops", lab: "03-create-the-deployment", point: "start", main: looping, outcome: grade.Judged, lacks: "RC-001"},
	{name: "fills", lab: "03-create-the-deployment", point: "start", main: filling, outcome: grade.Judged, lacks: "RC-001"},
}

// TestLabGrade: whatever happens to one submission, the others are graded. None sees
// the others, and nothing is left.
func TestLabGrade(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv(commandEnv, "yes") // the processes are this binary, too
	submissions := sample
	if *class {
		submissions = append(slices.Clone(sample), wholeClass(t)...)
	}
	dir := t.TempDir()
	args := []string{"lab", "grade", "-o", "json", "--reports", filepath.Join(dir, "reports")}
	if !*class {
		args = append(args, "--timeout-scale=0.4") // What does not come is not waited for so long.
	}
	for _, s := range submissions {
		args = append(args, handIn(t, filepath.Join(dir, "class"), s))
	}
	status, stdout, stderr := run(t, args...)
	t.Log(stderr)
	var sheet grade.Sheet
	if err := json.Unmarshal([]byte(stdout), &sheet); err != nil || len(sheet) != len(submissions) || status != 1 {
		t.Fatalf("status %d, %d of %d: %v\n%s", status, len(sheet), len(submissions), err, stdout)
	}
	for n, s := range submissions {
		r := sheet[n]
		lacks := s.lacks == "" || slices.ContainsFunc(r.Checks, func(c grade.Check) bool { return c.ID == s.lacks && !c.Reached })
		if r.Submission != s.name || r.Lab != s.lab || r.Outcome != s.outcome || r.All() != s.all || !lacks {
			t.Errorf("%s: %+v", s.name, r)
		}
		if strings.Contains(r.Report+r.Why, secret) {
			t.Errorf("%s has read what another one handed in:\n%s", s.name, r.Report)
		}
		if _, err := os.Stat(filepath.Join(dir, "reports", s.name+".txt")); err != nil {
			t.Error(err)
		}
		if written, err := os.ReadDir(filepath.Join(dir, "class", s.name)); err != nil || slices.ContainsFunc(written, func(e fs.DirEntry) bool { return e.Name() == "bin" }) {
			t.Errorf("what was handed in was written to: %v, %v", written, err)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

const classSize = 30

// wholeClass is the rest of a class.
func wholeClass(t *testing.T) (all []handedIn) {
	t.Helper()
	folders, err := fs.Glob(labs.FS, "[0-9][0-9]-*")
	if err != nil {
		t.Fatal(err)
	}
	all = slices.Clone(others)
	for n, folder := range folders {
		if n != 2 { // which is in the sample
			all = append(all, handedIn{name: "solution-" + folder[:2], lab: folder, point: "solution", outcome: grade.Judged, all: true})
		}
	}
	for _, n := range []int{1, 4, 7} {
		all = append(all, handedIn{name: "start-" + folders[n][:2], lab: folders[n], point: "start", outcome: grade.Judged})
	}
	every, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range every {
		if l.Kind == lab.Debug && len(all) < classSize-len(sample) {
			all = append(all, handedIn{name: "mutant-" + path.Base(l.Folder), lab: l.Folder, point: "start", outcome: grade.Judged, lacks: l.Fails.ID})
		}
	}
	return all
}

// handIn makes the folder of a submission.
func handIn(t *testing.T, dir string, s handedIn) string {
	t.Helper()
	dir = filepath.Join(dir, s.name)
	if _, err := student.Start(labs.FS, s.lab, steps.Go(), dir); err != nil {
		t.Fatal(err)
	}
	files, err := student.Files(labs.FS, s.lab, s.point)
	if err != nil {
		t.Fatal(err)
	}
	files["secret.txt"] = secret
	if s.main != "" {
		sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			delete(files, filepath.Base(source))
			if err := os.Remove(source); err != nil {
				t.Fatal(err)
			}
		}
		files["main.go"] = strings.ReplaceAll(s.main, "OTHER", filepath.Join(filepath.Dir(dir), sample[0].name))
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
