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

// arguments of reconform. The indexes of a Job begin with 0, and shards with 1.
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

// ending is how long a run has to end in order, and to write its reports.
const ending = 30 * time.Second

// judge runs reconform, and returns its exit status. The error is for a program that
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
	// All that it has started is counted: it has waited for that.
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(os.Stderr, "took %s, and %s of the processors\n", time.Since(began).Round(time.Second), used.Round(time.Second))
	return cmd.ProcessState.ExitCode(), nil
}
