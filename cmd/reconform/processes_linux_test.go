package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// process is one entry of /proc: a pid can be used again, with another start.
type process struct {
	pid, parent int
	start       string
	name        string
}

// processes lists all that run. Zombies are left out.
func processes(t *testing.T) map[int]process {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]process{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile
		}
		// "pid (name) state parent …": the name may hold anything.
		open, end := strings.Index(string(data), "("), strings.LastIndex(string(data), ")")
		fields := strings.Fields(string(data[end+1:]))
		if open < 0 || len(fields) < 20 || fields[0] == "Z" {
			continue
		}
		p := process{name: string(data[open+1 : end]), start: fields[19]}
		if p.pid, err = strconv.Atoi(strings.TrimSpace(string(data[:open]))); err != nil {
			t.Fatal(err)
		}
		if p.parent, err = strconv.Atoi(fields[1]); err != nil {
			t.Fatal(err)
		}
		all[p.pid] = p
	}
	return all
}

// descendants of a process, and itself.
func descendants(t *testing.T, root int) []process {
	t.Helper()
	all := processes(t)
	var tree []process
	for _, p := range all {
		for q, ok := p, true; ok; q, ok = all[q.parent] {
			if q.pid == root {
				tree = append(tree, p)
				break
			}
		}
	}
	return tree
}

// alive are those processes that still run.
func alive(t *testing.T, among []process) []process {
	t.Helper()
	all := processes(t)
	var left []process
	for _, p := range among {
		if all[p.pid].start == p.start {
			left = append(left, p)
		}
	}
	return left
}

// adoptOrphans makes this process the parent of all descendants whose own parent is
// gone, so that the test finds them all.
func adoptOrphans(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}
