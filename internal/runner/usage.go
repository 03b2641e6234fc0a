package runner

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/prometheus/procfs"
)

// usageEvery is the time between two looks at the processes. If a process ends in between,
// its use since the last look is missing.
const usageEvery = 500 * time.Millisecond

// usage adds up what this process and all its descendants use. It does so by program, because
// a run starts hundreds of processes.
type usage struct {
	proc procfs.FS
	end  chan struct{}
	done chan struct{}

	spent map[processID]spent
	peaks map[string]uint64 // of memory, in bytes, by program
	peak  uint64            // of all together
}

// processID tells processes apart. The system uses a PID again.
type processID struct {
	pid   int
	start uint64
}

// spent is the processor time of a process, in seconds.
type spent struct {
	program string
	seconds float64
}

// newUsage returns nil if this machine has no /proc.
func newUsage() *usage {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil
	}
	return &usage{
		proc: proc, end: make(chan struct{}), done: make(chan struct{}),
		spent: map[processID]spent{}, peaks: map[string]uint64{},
	}
}

// measure looks at the processes until stop is called.
func (u *usage) measure() {
	defer close(u.done)
	tick := time.NewTicker(usageEvery)
	defer tick.Stop()
	for {
		u.look()
		select {
		case <-tick.C:
		case <-u.end:
			return
		}
	}
}

func (u *usage) stop() {
	close(u.end)
	<-u.done
}

// look adds what the processes have used by now. A process that ends meanwhile is left out.
func (u *usage) look() {
	processes, err := u.proc.AllProcs()
	if err != nil {
		return
	}
	stats := map[int]procfs.ProcStat{}
	for _, process := range processes {
		if stat, err := process.Stat(); err == nil {
			stats[process.PID] = stat
		}
	}
	memory, all := map[string]uint64{}, uint64(0)
	for pid, stat := range stats {
		if !descends(pid, os.Getpid(), stats) {
			continue
		}
		line := u.commandLine(pid)
		if pid != os.Getpid() && slices.Equal(line, os.Args) {
			continue // it is about to become another program, and has the memory of this one
		}
		id, program := processID{pid, stat.Starttime}, programOf(line, stat)
		if known, ok := u.spent[id]; ok && len(line) == 0 {
			program = known.program // it has ended, and nobody has waited for it yet
		}
		u.spent[id] = spent{program, stat.CPUTime()}
		own := u.memory(pid)
		memory[program] += own
		all += own
	}
	for program, now := range memory {
		u.peaks[program] = max(u.peaks[program], now)
	}
	u.peak = max(u.peak, all)
}

// memory returns the memory in bytes that a process has for itself. Its program is left out,
// because processes share one copy of it.
func (u *usage) memory(pid int) uint64 {
	process, err := u.proc.Proc(pid)
	if err != nil {
		return 0
	}
	status, err := process.NewStatus()
	if err != nil {
		return 0
	}
	return status.RssAnon
}

// descends tells whether a process is this one, or was started by it or its children.
func descends(pid, from int, stats map[int]procfs.ProcStat) bool {
	for pid > 0 && pid != from {
		pid = stats[pid].PPID
	}
	return pid == from
}

// commandLine returns the arguments of a process, or none.
func (u *usage) commandLine(pid int) []string {
	process, err := u.proc.Proc(pid)
	if err != nil {
		return nil
	}
	line, err := process.CmdLine()
	if err != nil {
		return nil
	}
	return line
}

// programOf returns the name of a process's program. The same executable has several jobs:
// an argument such as --reconform-chainsaw tells which.
func programOf(line []string, stat procfs.ProcStat) string {
	if len(line) == 0 {
		return stat.Comm
	}
	if len(line) > 1 && strings.HasPrefix(line[1], "--reconform-") {
		job, _, _ := strings.Cut(line[1], "=")
		return strings.TrimPrefix(job, "--")
	}
	return filepath.Base(line[0])
}

// write writes a table: for each program the processor time, the part of it that garbage
// collection took, if that is known, and the most memory that all its processes had at the
// same time. The last line is about all programs.
func (u *usage) write(w io.Writer, collecting map[string]float64) error {
	seconds, total := map[string]float64{}, 0.0
	for _, s := range u.spent {
		seconds[s.program] += s.seconds
		total += s.seconds
	}
	programs := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[b], seconds[a]), cmp.Compare(a, b))
	})
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\tCPU (s)\tgarbage collection (%)\tmost memory (MB)")
	for _, program := range programs {
		share := "-"
		if part, known := collecting[program]; known {
			share = fmt.Sprintf("%.0f", 100*part)
		}
		fmt.Fprintf(table, "%s\t%.1f\t%s\t%d\n", program, seconds[program], share, u.peaks[program]>>20)
	}
	fmt.Fprintf(table, "all\t%.1f\t\t%d\n", total, u.peak>>20)
	return table.Flush()
}
