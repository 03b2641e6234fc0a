package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// usageBelow returns what all descendants of a process use. A process that ends meanwhile
// counts as nothing.
func usageBelow(pid int) (Usage, error) {
	var sum Usage
	threads, err := os.ReadDir(procPath(pid, "task"))
	if err != nil {
		return sum, ignoreGone(err)
	}
	for _, thread := range threads {
		children, err := os.ReadFile(procPath(pid, "task", thread.Name(), "children"))
		if err != nil {
			// The file is missing, too, if the kernel was built without it.
			if _, gone := os.Stat(procPath(pid, "task", thread.Name())); gone != nil {
				continue
			}
			return Usage{}, fmt.Errorf("finding the processes below %d: %w", pid, err)
		}
		for child := range strings.FieldsSeq(string(children)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				return Usage{}, fmt.Errorf("finding the processes below %d: %w", pid, err)
			}
			own, err := usageOf(pid)
			if err != nil {
				return Usage{}, err
			}
			below, err := usageBelow(pid)
			if err != nil {
				return Usage{}, err
			}
			sum.Memory += own.Memory + below.Memory
			sum.Descriptors += own.Descriptors + below.Descriptors
			sum.Processes += own.Processes + below.Processes
		}
	}
	return sum, nil
}

// usageOf returns what one process uses.
func usageOf(pid int) (Usage, error) {
	pages, err := os.ReadFile(procPath(pid, "statm"))
	if err != nil {
		return Usage{}, ignoreGone(err)
	}
	fields := strings.Fields(string(pages)) // the second is the number of resident ones
	if len(fields) < 2 {
		return Usage{}, fmt.Errorf("reading the memory of process %d: %q", pid, pages)
	}
	resident, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return Usage{}, fmt.Errorf("reading the memory of process %d: %w", pid, err)
	}
	descriptors, err := os.ReadDir(procPath(pid, "fd"))
	if err != nil {
		return Usage{}, ignoreGone(err)
	}
	return Usage{Memory: resident * int64(os.Getpagesize()), Descriptors: int64(len(descriptors)), Processes: 1}, nil
}

func procPath(pid int, of ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(pid)}, of...)...)
}

// ignoreGone drops the error that says that a process has ended.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return fmt.Errorf("measuring a process: %w", err)
}
