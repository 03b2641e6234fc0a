package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
)

// The processes of a run are this one and those that it has started.
func TestUsageCountsChildren(t *testing.T) {
	u := newUsage()
	if u == nil {
		t.Skip("this machine has no /proc")
	}
	const program = "cat-by-another-name"
	child := exec.CommandContext(t.Context(), "cat")
	child.Args[0] = program
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Skip("there is no cat:", err)
	}
	for u.peaks[program] == 0 && t.Context().Err() == nil {
		u.look() // until it has become that program
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	for stat, err := u.stat(child.Process.Pid); err == nil && stat.State != "Z"; stat, err = u.stat(child.Process.Pid) {
		if t.Context().Err() != nil {
			t.Fatal("cat does not end")
		}
	}
	u.look() // it has ended, and nobody has waited for it
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	u.look() // what a process used counts though it has ended
	own := filepath.Base(os.Args[0])
	if u.peaks[own] == 0 || u.peak < u.peaks[own] {
		t.Errorf("this process has %d bytes, and all have %d", u.peaks[own], u.peak)
	}
	programs := map[string]bool{}
	for _, s := range u.spent {
		programs[s.program] = true
	}
	if diff := cmp.Diff(map[string]bool{own: true, program: true}, programs); diff != "" {
		t.Errorf("programs (-want +got):\n%s", diff)
	}
}

func (u *usage) stat(pid int) (procfs.ProcStat, error) {
	process, err := u.proc.Proc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return process.Stat()
}

func TestDescends(t *testing.T) {
	stats := map[int]procfs.ProcStat{1: {}, 10: {PPID: 1}, 20: {PPID: 10}, 30: {PPID: 20}, 40: {PPID: 1}, 50: {PPID: 41}}
	for pid, want := range map[int]bool{1: false, 10: true, 20: true, 30: true, 40: false, 50: false, 60: false} {
		if got := descends(pid, 10, stats); got != want {
			t.Errorf("process %d: %t", pid, got)
		}
	}
}

func TestUsageTable(t *testing.T) {
	u := &usage{
		spent: map[processID]spent{
			{1, 1}: {"manager", 1.5}, {2, 1}: {"manager", 2}, {2, 9}: {"etcd", 1}, {3, 1}: {"kube-apiserver", 30},
		},
		peaks: map[string]uint64{"manager": 20 << 20, "etcd": 5 << 20, "kube-apiserver": 700 << 20},
		peak:  710 << 20,
	}
	var text strings.Builder
	if err := u.write(&text, map[string]float64{"kube-apiserver": 0.126, "kwok": 0.5}); err != nil {
		t.Fatal(err)
	}
	const want = `program         CPU (s)  garbage collection (%)  most memory (MB)
kube-apiserver  30.0     13                      700
manager         3.5      -                       20
etcd            1.0      -                       5
all             34.5                             710
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
