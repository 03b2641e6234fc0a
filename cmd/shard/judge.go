package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// indexVariable is set by Kubernetes in the Pods of an Indexed Job.
const indexVariable = "JOB_COMPLETION_INDEX"

// arguments returns the arguments of reconform. The indexes of a Job begin with 0, those of
// shards with 1.
func arguments(of int, index, dir string, more []string) ([]string, error) {
	all := append([]string{"run", "--report-dir", dir}, more...)
	if of == 0 {
		return all, nil
	}
	n, err := strconv.Atoi(index)
	if err != nil {
		return nil, fmt.Errorf("$%s is %q: -of is for the Pods of a Job with completionMode Indexed", indexVariable, index)
	}
	if n < 0 || n >= of {
		return nil, fmt.Errorf("$%s is %d, and -of %d: the Job must have as many completions", indexVariable, n, of)
	}
	return append(all, "--shard", fmt.Sprintf("%d/%d", n+1, of)), nil
}

// ending is how long a run may take to end in order and write its reports.
const ending = 30 * time.Second

// judge runs reconform, and returns its exit status. It returns an error if the program
// could not be run, or was killed.
func judge(ctx context.Context, program string, args []string) (status int, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = ending
	began := time.Now()
	err = cmd.Run()
	if cmd.ProcessState == nil || !cmd.ProcessState.Exited() {
		return statusFailed, fmt.Errorf("running %s: %w", program, err)
	}
	// This includes all processes that it has started, because it has waited for them.
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(os.Stderr, "took %s, and %s of the processors\n", time.Since(began).Round(time.Second), used.Round(time.Second))
	return cmd.ProcessState.ExitCode(), nil
}
