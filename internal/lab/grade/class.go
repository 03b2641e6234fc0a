package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/sanitize"
)

// Class grades submissions, each in its own process.
type Class struct {
	// Command grades the submission in a folder and writes its Result as JSON. It ends when
	// its standard input ends.
	Command func(dir string) []string
	// TimeLimit of each submission.
	TimeLimit time.Duration
	// Work is a folder for temporary files.
	Work string
}

const (
	// mostResult is the largest size of a result.
	mostResult = 4 << 20
	mostError  = 4 << 10
	// leaving is how long a process may take to end after its time is up.
	leaving = 20 * time.Second
)

// Grade grades one submission, under a name. It returns an error only if ctx has ended.
func (c *Class) Grade(ctx context.Context, name, dir string) (Result, error) {
	began := time.Now()
	result, err := c.grade(ctx, dir)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err != nil {
		result = Result{Outcome: Broken, Why: sanitize.Text(err.Error())}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		result.Outcome, result.Why = TimeUp, fmt.Sprintf("it was not graded after %s", c.TimeLimit)
	}
	if result.Seconds == 0 {
		result.Seconds = time.Since(began).Round(100 * time.Millisecond).Seconds()
	}
	result.Submission = name
	return result, nil
}

func (c *Class) grade(ctx context.Context, dir string) (result Result, err error) {
	work, err := os.MkdirTemp(c.Work, "")
	if err != nil {
		return result, fmt.Errorf("making a folder for the submission: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	limited, cancel := context.WithTimeout(ctx, c.TimeLimit)
	defer cancel()
	args := c.Command(dir)
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+work)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = leaving
	out, problem := &first{most: mostResult}, &first{most: mostError}
	cmd.Stdout, cmd.Stderr = out, problem
	// If this process is killed, the other notices it by the end of its input.
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return result, fmt.Errorf("starting to grade: %w", err)
	}
	defer lifeline.Close()
	err = cmd.Run()
	if limited.Err() != nil {
		return result, limited.Err()
	}
	if err != nil {
		return result, fmt.Errorf("%w: %s", err, strings.TrimSpace(problem.text.String()))
	}
	if err := json.Unmarshal(out.text.Bytes(), &result); err != nil {
		return result, fmt.Errorf("reading the result: %w", err)
	}
	return result, nil
}

// first keeps the first part of what is written to it.
type first struct {
	text bytes.Buffer
	most int
}

func (f *first) Write(data []byte) (int, error) {
	f.text.Write(data[:min(len(data), f.most-f.text.Len())])
	return len(data), nil
}
