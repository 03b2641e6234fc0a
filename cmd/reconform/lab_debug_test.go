package main

import (
	"strings"
	"testing"
)

// TestLabDebug goes through a debug lab as far as that needs no control plane.
func TestLabDebug(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, step := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"lab", "list"}, statusOK, "debug/04"},
		{[]string{"lab", "start", "debug/4"}, statusOK, "begin with what is found"},
		{[]string{"lab", "start", "debug/04"}, statusUsage, "nothing of yours is overwritten"},
		{[]string{"lab", "list"}, statusOK, "started"},
		{[]string{"lab", "hint", "debug/04"}, statusOK, "hint 1 of 3, finish in queue.go"},
		{[]string{"lab", "solution", "--dir", "debug-04"}, statusOK, "Show the solution of debug/04? [y/N]"},
		{[]string{"lab", "solution", "debug/04", "--yes"}, statusOK, "==> queue.go <=="},
		{[]string{"lab", "reset", "--dir", "debug-04"}, statusOK, ""},
	} {
		status, stdout, stderr := run(t, step.args...)
		if status != step.status || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%v: status %d, want %d with %q: %s%s", step.args, status, step.status, step.want, stdout, stderr)
		}
		told := strings.Contains(stdout, "never reported as done")
		if asked := step.args[len(step.args)-1] == "--yes"; told != asked {
			t.Errorf("%v: the mistake is told: %t", step.args, told)
		}
	}
}

// TestLabGradeUsage: what is wrong is said before anything is graded.
func TestLabGradeUsage(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"nobody":        {nil, "give the folders to grade"},
		"no folder":     {[]string{dir + "/absent"}, "absent is no folder"},
		"no lab":        {[]string{"--lab", "99", dir}, "no such lab"},
		"in what form":  {[]string{"-o", "xml", dir}, "-o xml: must be one of markdown, csv, json"},
		"without time":  {[]string{"--time-limit", "0s", dir}, "--time-limit must be more than 0"},
		"unknown scale": {[]string{"--timeout-scale", "x", dir}, "invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, stderr := run(t, append([]string{"lab", "grade"}, tc.args...)...)
			if status != statusUsage || !strings.Contains(stderr, tc.want) {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
}
