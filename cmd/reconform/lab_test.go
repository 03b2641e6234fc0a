package main

import (
	"os"
	"strings"
	"testing"
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
		{[]string{"lab", "reset", "--dir", "01-watch-and-print"}, statusOK, ""},
	} {
		status, stdout, stderr := run(t, step.args...)
		if status != step.status || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%v: status %d, want %d with %q: %s%s", step.args, status, step.status, step.want, stdout, stderr)
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
