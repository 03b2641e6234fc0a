package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/labs"
)

// TestLab goes through what needs no control plane, as a student would.
func TestLab(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, step := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"lab", "list"}, statusOK, "Watch and print"},
		{[]string{"lab", "check"}, statusUsage, "is no folder of a lab"},
		{[]string{"lab", "start", "99"}, statusUsage, "no such lab"},
		{[]string{"lab", "start", "hands-on"}, statusOK, "write it"},
		{[]string{"lab", "start", "4", "--language", "node"}, statusUsage, "only labs 01 to 03 have"},
		{[]string{"lab", "start", "4", "--language", "cobol"}, statusUsage, "is neither go nor node"},
		{[]string{"lab", "start", "2", "--language", "node", "--dir", "node"}, statusOK, "A queue and workers"},
		{[]string{"lab", "hint", "--dir", "node"}, statusOK, "enqueue in controller.js"},
		{[]string{"lab", "solution", "--dir", "node", "--yes"}, statusOK, "==> controller.js <=="},
		{[]string{"lab", "start", "1"}, statusOK, "01-watch-and-print"},
		{[]string{"lab", "start", "1"}, statusUsage, "nothing of yours is overwritten"},
		{[]string{"lab", "list"}, statusOK, "started"},
		{[]string{"lab", "hint", "01"}, statusOK, "hint 1 of 3, printer in watch.go"},
		{[]string{"lab", "hint", "01"}, statusOK, "hint 2 of 3"},
		{[]string{"lab", "hint", "01"}, statusOK, "hint 3 of 3"},
		{[]string{"lab", "hint", "01"}, statusOK, "hint 3 of 3"},
		{[]string{"lab", "solution", "01", "--yes"}, statusOK, "==> watch.go <=="},
		{[]string{"lab", "solution", "01", "--yes", "--diff"}, statusOK, "--- start/watch.go"},
		{[]string{"lab", "solution", "01", "--yes", "--language", "node"}, statusUsage, "--language needs --print"},
		{[]string{"lab", "reset", "--dir", "01-watch-and-print"}, statusOK, ""},
	} {
		status, stdout, stderr := run(t, step.args...)
		if status != step.status || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%v: status %d, want %d with %q: %s%s", step.args, status, step.status, step.want, stdout, stderr)
		}
	}
}

// TestLabSolutionPrint: anybody can read a solution, without a folder.
func TestLabSolutionPrint(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, step := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"3", "--print"}, statusOK, "==> deployment.go <=="},
		{[]string{"03", "--print", "--diff"}, statusOK, "+++ solution/deployment.go"},
		{[]string{"3", "--print", "--language", "node"}, statusOK, "==> deployment.js <=="},
		{[]string{"beyond/finalizer", "--print"}, statusOK, "==> finalizer.go <=="},
		{[]string{"debug/04", "--print", "--diff"}, statusOK, "The mistake: "},
		{[]string{"--print"}, statusUsage, "needs the number of a lab"},
		{[]string{"99", "--print"}, statusUsage, "no such lab"},
		{[]string{"4", "--print", "--language", "node"}, statusUsage, "only labs 01 to 03 have"},
		{[]string{"3", "--print", "--language", "cobol"}, statusUsage, "is neither go nor node"},
		{[]string{"3", "--print", "--dir", "."}, statusUsage, "[dir print]"},
		{[]string{"3", "--print", "--yes"}, statusUsage, "[print yes]"},
		{[]string{"hands-on", "--print"}, statusUsage, "has no solution of its own"},
		{[]string{"predict/no-forget", "--print"}, statusUsage, "is to be predicted"},
	} {
		status, stdout, stderr := run(t, append([]string{"lab", "solution"}, step.args...)...)
		if status != step.status || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%v: status %d, want %d with %q: %s%s", step.args, status, step.status, step.want, stdout, stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("it has written %v, %v", left, err)
	}
}

// TestLabSolutionDiff: what --diff prints makes the solution of the start.
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

// TestLabDoesNotCompile: what the compiler says is for the student, and nothing is started.
func TestLabDoesNotCompile(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, stderr := run(t, "lab", "start", "1"); status != statusOK {
		t.Fatal(stderr)
	}
	if err := os.WriteFile("01-watch-and-print/watch.go", []byte("package main\n\nfunc printer() {"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := run(t, "lab", "check", "1")
	if status != 1 || !strings.Contains(stdout, "it does not compile") || !strings.Contains(stdout, "watch.go:3") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}
