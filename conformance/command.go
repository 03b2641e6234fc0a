package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	module = "reconform.dev/reconform"
	tool   = module + "/cmd/reconform"
	// stopping is how long the program may take to end in order and write its reports.
	stopping = 30 * time.Second
)

// command is the program of the suite.
type command struct {
	path        string
	options     *Options
	environment []string
	progress    io.Writer
}

// requirement is a requirement as `reconform list` prints it.
type requirement struct {
	ID      string `json:"id"`
	Skipped string `json:"skipped"`
}

// find finds the program, which Go builds if it has changed.
func find(ctx context.Context, options *Options, progress io.Writer) (*command, error) {
	c := &command{path: options.Command, options: options, environment: os.Environ(), progress: progress}
	if c.path != "" {
		path, err := filepath.Abs(c.path)
		if err != nil {
			return nil, fmt.Errorf("finding %s: %w", c.path, err)
		}
		if _, err := os.Stat(path); err != nil { // it is not in the folder of the test
			if path, err = exec.LookPath(c.path); err != nil {
				return nil, fmt.Errorf("finding the program of the suite, %s, in the folder of the test or on the PATH: %w", c.path, err)
			}
		}
		c.path = path
		return c, nil
	}
	fmt.Fprintln(progress, "building the suite, where it has changed (the first time takes some minutes) …")
	path, err := output(ctx, progress, "go", "tool", "-n", tool)
	if err != nil {
		return nil, fmt.Errorf("building the suite, which must be a tool of this module (go get -tool %s): %w", tool, err)
	}
	c.path = strings.TrimSpace(path)
	return c, nil
}

// run runs the suite.
func (c *command) run(ctx context.Context, selection v1alpha1.Selection) (text string, err error) {
	return c.carryOut(ctx, reportFile(c.options.reportDir()), append([]string{"run"}, c.options.runFlags(selection)...)...)
}

// list lists the requirements of a selection.
func (c *command) list(ctx context.Context, selection v1alpha1.Selection) ([]requirement, error) {
	text, err := output(ctx, io.Discard, c.path, append([]string{"list", "-o", "json"}, c.options.listFlags(selection)...)...)
	if err != nil {
		return nil, fmt.Errorf("listing the requirements: %w", err)
	}
	var list []requirement
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("reading the list of requirements: %w", err)
	}
	return list, nil
}

// carryOut runs the program, which writes a report. The text is what it says about the
// result. If this run wrote no report, there is an error: the report in the folder is then
// that of an earlier run.
func (c *command) carryOut(ctx context.Context, report string, args ...string) (text string, err error) {
	cmd := orderly(ctx, c.path, args...)
	cmd.Env = c.environment
	// The program is connected by pipes. If this process dies, nobody reads them any more,
	// and the program ends.
	var result, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &result, io.MultiWriter(&said, c.progress)
	before := modified(report)
	err = cmd.Run()
	written := !modified(report).Equal(before)
	var exit *exec.ExitError
	const failed, inconclusive = 1, 3
	switch {
	case err == nil && !written:
		return "", fmt.Errorf("it has not written %s, as it does for one version of Kubernetes\n%s", report, tail(said.String()))
	case err == nil:
	case errors.As(err, &exit) && (exit.ExitCode() == failed || exit.ExitCode() == inconclusive) && written:
	default:
		return "", fmt.Errorf("%w\n%s", err, tail(said.String()))
	}
	return result.String(), nil
}

// modified returns when a file was written last, or zero if there is none.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// orderly returns a program that is interrupted, and not killed, when ctx ends. Ctrl+C does
// not reach it directly, because a second signal would end it at once.
func orderly(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopping
	return cmd
}

// output returns the output of a program that must succeed. What it prints on standard
// error goes to progress, and is part of the error.
func output(ctx context.Context, progress io.Writer, name string, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := orderly(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&said, progress)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, tail(said.String()))
	}
	return out.String(), nil
}

// tail returns the last lines that a program printed, because its error comes last.
func tail(said string) string {
	const lines = 20
	all := strings.Split(strings.TrimSpace(said), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
