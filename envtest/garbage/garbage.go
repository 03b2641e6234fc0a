package garbage

import (
	"fmt"
	"os"
	"runtime/debug"
)

const (
	// percent is how much a heap may grow, in percent of the memory in use, before a
	// collection. In a whole run, 400 needs 4.0 GB in all processes together, and 200 needs
	// 2.7 GB, for 4 percent more CPU time.
	percent = 200
	// limit is the memory, in bytes, near which a process collects as often as necessary.
	limit = 1 << 30
	// smallest and largest are the bounds of that memory for a process that holds all
	// objects of a run. After a hundred scenarios these are 750 MB. With a limit near that,
	// the process collects all the time.
	smallest, largest = 3 << 29, 3 << 30
	// Such a process may use the memory of the machine divided by part.
	part = 8
	// heapVariable is for programs that are built by envtest/assets: the size, in bytes,
	// below which the heap of such a process is kept, as long as that does not mean to collect
	// all the time. A memory limit has no such end, so it is far away.
	heapVariable = "RECONFORM_HEAP"
	heapOfStore  = 1 << 30
)

// Environment returns variables ("NAME=value") that make a Go program collect less often.
func Environment() []string { return environment(limit) }

// EnvironmentOfStore is like Environment, for a program that holds all objects of a run. Its
// limit depends on the memory of this machine.
func EnvironmentOfStore() []string {
	return append(environment(limitOfStore(memory())), fmt.Sprintf("%s=%d", heapVariable, heapOfStore))
}

func environment(limit int64) []string {
	return []string{fmt.Sprintf("GOGC=%d", percent), fmt.Sprintf("GOMEMLIMIT=%d", limit)}
}

// limitOfStore returns the limit on a machine with so much memory, in bytes; 0 means that
// this is not known.
func limitOfStore(memory int64) int64 {
	return max(smallest, min(memory/part, largest))
}

// CollectLess makes this process collect less often. Values that the user has set stay.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}
