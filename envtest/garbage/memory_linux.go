package garbage

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memory returns how much memory this process may use, in bytes: that of the machine, or of
// its container if that is less. It returns 0 if this is not known.
func memory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	total := int64(info.Totalram) * int64(info.Unit)
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max") // "max" if there is no limit
	if err != nil {
		return total
	}
	if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
		return min(total, most)
	}
	return total
}
