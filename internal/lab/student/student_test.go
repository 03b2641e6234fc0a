package student

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/labs"
)

const first = "01-watch-and-print"

func TestStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if _, err := Start(labs.FS, first, steps.Go(), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum", "main.go", "watch.go", "profile.yaml", "rbac.yaml", "crd.yaml", "webapp.yaml", "README.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	f, err := Open(dir)
	if err != nil || f.Lab != first {
		t.Fatalf("Open: %+v, %v", f, err)
	}
	if _, err := Start(labs.FS, first, steps.Go(), dir); err == nil || !strings.Contains(err.Error(), "nothing of yours is overwritten") {
		t.Errorf("a second start: %v", err)
	}
}

// TestStartBesideAFile: a folder with a file of that name is left as it is.
func TestStartBesideAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "watch.go"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(labs.FS, first, steps.Go(), dir); err == nil || !strings.Contains(err.Error(), "watch.go") {
		t.Errorf("Start: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("it made files: %v, %v", entries, err)
	}
}

// TestReset: what the student has written is kept.
// TestBeginOnAFullDisk leaves nothing half written: the lab can be started again.
func TestBeginOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"a.go": "a", "nowhere/b.go": "b", "c.go": "c"} // one cannot be written
	for _, dir := range []string{dir, filepath.Join(dir, "new")} {
		f := &Folder{Dir: dir, Progress: Progress{Lab: "03"}}
		if err := f.begin(files); err == nil || !strings.Contains(err.Error(), "writing the lab's files: ") {
			t.Fatalf("got %v", err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestReset(t *testing.T) {
	f, err := Start(labs.FS, first, steps.Go(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(f.Dir, "watch.go")
	start, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A file of his own may define what the start defines, too.
	own := filepath.Join(f.Dir, "own.go")
	if err := os.WriteFile(own, []byte("mine, too"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Checked([]string{"watch/added"}, true); err != nil || f.Passed == nil {
		t.Fatalf("Checked: %+v, %v", f, err)
	}
	aside, err := f.Reset(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(start) {
		t.Errorf("after the reset it is %q, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(aside, "watch.go.old")); err != nil || string(got) != "mine" {
		t.Errorf("what was written is %q, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(aside, "own.go.old")); err != nil || string(got) != "mine, too" {
		t.Errorf("what was written into a new file is %q, %v", got, err)
	}
	if _, err := os.Stat(own); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it still belongs to the module: %v", err)
	}
	again, err := Open(f.Dir)
	if err != nil || again.Checks != 0 || again.Passed != nil {
		t.Errorf("the progress is %+v, %v", again, err)
	}
}

func TestUnder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my labs [1]")
	if _, err := Start(labs.FS, first, steps.Go(), filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	found, err := Under(dir)
	if err != nil || len(found) != 1 || found[first] == nil {
		t.Errorf("Under: %v, %v", found, err)
	}
}

// TestCRD: the definition is the one that a student gets.
func TestCRD(t *testing.T) {
	definition, err := CRD(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := definition.Name, "webapps.apps.kubedojo.io"; got != want || len(definition.Spec.Versions) == 0 {
		t.Errorf("it defines %s, in %d versions, want %s", got, len(definition.Spec.Versions), want)
	}
}
