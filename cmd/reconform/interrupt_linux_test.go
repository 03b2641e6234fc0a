package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// patience is for what takes seconds on an idle machine.
const patience = 2 * time.Minute

// killedBySignal is the exit status of a process that a signal has ended.
const killedBySignal = -1

func TestNothingIsLeft(t *testing.T) {
	startsControlPlane(t)
	adoptOrphans(t)
	restoreSignals(t)
	const (
		controlPlane = "starting the control plane"
		controllers  = "starting the controllers"
		benchStarts  = "control plane ready"
		inTheMiddle  = "  passed "
		teardown     = "scenarios ran in"
	)
	t.Run("interrupted", func(t *testing.T) {
		for _, tc := range []struct {
			command string
			at      string // what it has said last
			signal  syscall.Signal
			again   bool // until it gives in
			status  int
		}{
			{"run", controlPlane, syscall.SIGINT, false, statusInconclusive},
			{"run", controllers, syscall.SIGTERM, false, statusInconclusive},
			{"run", benchStarts, syscall.SIGHUP, false, statusInconclusive},
			{"run", inTheMiddle, syscall.SIGTERM, false, statusInconclusive},
			{"run", teardown, syscall.SIGINT, false, statusOK}, // the verdict is not changed
			{"run", inTheMiddle, syscall.SIGINT, true, killedBySignal},
			{"run", controlPlane, syscall.SIGKILL, false, killedBySignal},
			{"run", inTheMiddle, syscall.SIGKILL, false, killedBySignal},
			{"up", controllers, syscall.SIGHUP, false, statusOK},
			// An up that is up is ended by TestTakesOver, and a run that is kept by TestNoSecrets.
		} {
			t.Run(fmt.Sprintf("%s %s %v", tc.command, strings.TrimSpace(tc.at), tc.signal), func(t *testing.T) {
				t.Parallel()
				c := startCommand(t, tc.command)
				c.await(t, tc.at)
				c.checkEnd(t, tc.signal, tc.again, tc.status)
				if tc.at == inTheMiddle && tc.status == statusInconclusive {
					c.checkCutShort(t)
				}
				if tc.signal == syscall.SIGKILL && tc.at != controlPlane { // in that case no process may be left that could remove it
					c.checkGone(t, "tmp/reconform-[0-9]*")
				}
				if t.Failed() {
					t.Logf("it said:\n%s", c.said())
				}
			})
		}
	})
	// What was started between the look and the signal has become our child.
	awaitEnd(t, func() []process {
		var left []process
		for _, p := range descendants(t, os.Getpid()) {
			if p.pid != os.Getpid() {
				left = append(left, p)
			}
		}
		return left
	})
}

// restoreSignals makes children end by SIGINT and SIGHUP if the test itself ignores them:
// a shell starts what is in the background without SIGINT, and nohup without SIGHUP. A
// signal that is caught here has its default in a child, and one that is ignored stays
// ignored.
func restoreSignals(t *testing.T) {
	t.Helper()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			continue
		}
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, s)
		t.Cleanup(func() { signal.Stop(caught) })
	}
}

// awaitEnd fails the test where processes are left for long.
func awaitEnd(t *testing.T, left func() []process) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(20 * time.Second); ; {
		processes := left()
		if len(processes) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("left: %+v", processes)
		}
	}
}

// command is a reconform that runs, in folders of its own.
type command struct {
	*exec.Cmd
	dir   string
	lines chan string // closed at its end
	out   bytes.Buffer

	mu   sync.Mutex
	text strings.Builder
}

func startCommand(t *testing.T, name string, more ...string) *command {
	t.Helper()
	return startCommandIn(t, name, t.TempDir(), more...)
}

// prepareCommand has everything in dir, where others may have been before.
func prepareCommand(t *testing.T, name, dir string, more ...string) *command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &command{dir: dir, lines: make(chan string, 1000)}
	args := []string{"run", "--report-dir", c.path("reports")}
	if !slices.Contains(more, "--run") {
		args = append(args, "--run", "^RC-00")
	}
	switch name {
	case "run --keep":
		args = append(args, "--keep")
	case "up":
		args = []string{"up", "--kubeconfig-out", c.path("kubeconfig")}
	}
	args = append(args, more...)
	if err := os.MkdirAll(c.path("tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.Cmd = exec.Command(self, args...)
	c.Env = append(os.Environ(), commandEnv+"=1", "TMPDIR="+c.path("tmp"))
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return c
}

func startCommandIn(t *testing.T, name, dir string, more ...string) *command {
	t.Helper()
	c := prepareCommand(t, name, dir, more...)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.Stdout == nil {
		c.Stdout = &c.out // to be read when it has ended
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	go func() {
		defer close(c.lines)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			c.mu.Lock()
			c.text.WriteString(lines.Text() + "\n")
			c.mu.Unlock()
			c.lines <- lines.Text()
		}
		_, _ = io.Copy(io.Discard, stderr)
	}()
	return c
}

func (c *command) path(name string) string { return filepath.Join(c.dir, name) }

func (c *command) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// await returns when a line with the text comes.
func (c *command) await(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case line, more := <-c.lines:
			if !more {
				t.Fatalf("it ended before it said %q:\n%s", text, c.said())
			}
			if strings.Contains(line, text) {
				return
			}
		case <-deadline:
			t.Fatalf("it did not say %q:\n%s", text, c.said())
		}
	}
}

// end sends the signal, repeatedly if again is true, and waits for the end.
func (c *command) end(t *testing.T, signal syscall.Signal, again bool) {
	t.Helper()
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for {
		select {
		case _, more := <-c.lines:
			if !more {
				_ = c.Wait() // how it ended is looked at by the caller
				return
			}
		case <-tick.C:
			if again {
				_ = c.Process.Signal(signal)
			}
		case <-deadline:
			t.Fatalf("%v does not end it:\n%s", signal, c.said())
		}
	}
}

// checkEnd ends the command by a signal. Its exit status is to be this one, its processes
// are to end with it, and after an orderly end its files are to be gone.
func (c *command) checkEnd(t *testing.T, signal syscall.Signal, again bool, status int) {
	t.Helper()
	tree := descendants(t, c.Process.Pid)
	began := time.Now()
	c.end(t, signal, again)
	took := time.Since(began).Round(10 * time.Millisecond)
	if got := c.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
	awaitEnd(t, func() []process { return alive(t, tree) })
	t.Logf("%d processes; ended after %s, all gone after %s", len(tree), took, time.Since(began).Round(10*time.Millisecond))
	c.checkFiles(t, status != killedBySignal)
}

func (c *command) checkKubeconfig(t *testing.T) {
	t.Helper()
	info, err := os.Stat(c.path("kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %o", info.Mode().Perm())
	}
}

// checkFiles looks for half-written reports and, after an orderly end, for any
// file that should be gone.
func (c *command) checkFiles(t *testing.T, orderly bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.path("reports"), "conformance-report.yaml"))
	if err == nil {
		report := &v1alpha1.ConformanceReport{}
		if err := yaml.UnmarshalStrict(data, report); err != nil || report.Verdict == "" {
			t.Errorf("half a report: %v\n%s", err, data)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if orderly {
		c.checkGone(t, "tmp/*", "kubeconfig", "reports/.new-*")
	}
}

// checkCutShort looks for a report of what was known, and of what was not judged.
func (c *command) checkCutShort(t *testing.T) {
	t.Helper()
	r := readReport(t, c.path("reports"))
	if r.Verdict != v1alpha1.Inconclusive || r.Summary.Passed == 0 || r.Summary.Inconclusive > 0 {
		t.Errorf("the report is %s: %+v", r.Verdict, r.Summary)
	}
	if r.CutShort == nil || len(r.CutShort.NotJudged) == 0 || r.Summary.Passed+len(r.CutShort.NotJudged) > len(r.Results) {
		t.Errorf("of %d results, it was cut short by %+v", len(r.Results), r.CutShort)
	}
}

func (c *command) checkGone(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		left, err := filepath.Glob(c.path(pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("left: %v %v", left, err)
		}
	}
}
