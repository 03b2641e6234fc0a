package garbage

import (
	"fmt"
	"os"
	"runtime/debug"
)

const (
	// percent is how much a heap may grow, in percent of the memory in use, before a
	// collection.
	percent = 400
	// limit is the memory, in bytes, near which a process collects as often as necessary.
	limit = 1 << 30
)

// Environment returns variables ("NAME=value") that make a Go program collect less often.
func Environment() []string {
	return []string{fmt.Sprintf("GOGC=%d", percent), fmt.Sprintf("GOMEMLIMIT=%d", limit)}
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
