package garbage

import (
	"fmt"
	"os"
	"runtime/debug"
)

const (
	// percent is how much a heap grows, of what is in use, before it is collected.
	percent = 400
	// limit is the memory, in bytes, near which a process collects as often as it must.
	limit = 1 << 30
)

// Environment returns what is added to the environment of a Go program, so that it
// collects less often: "NAME=value" each.
func Environment() []string {
	return []string{fmt.Sprintf("GOGC=%d", percent), fmt.Sprintf("GOMEMLIMIT=%d", limit)}
}

// CollectLess has this process collect less often. What the user has set stays.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}
