package labs_test

import (
	"bytes"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// terminal is one in which a controller runs.
type terminal struct {
	*exec.Cmd

	ended chan struct{} // closed when it has

	mu   sync.Mutex
	text bytes.Buffer
	seen int // how many of the lines were expected, and have come
}

// Write is what the controller prints.
func (c *terminal) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(text)
}

// start a controller.
func start(t *testing.T, dir, command string, env []string) *terminal {
	t.Helper()
	c := &terminal{Cmd: exec.CommandContext(t.Context(), "bash", "-c", "exec "+command), ended: make(chan struct{})}
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, c, c
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		_ = c.Wait()
	}()
	return c
}

// lines that have come in whole.
func (c *terminal) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.text.String()
	return strings.Split(text[:strings.LastIndexByte(text, '\n')+1], "\n")
}

// has tells whether the lines have come, in this order, after those that were expected
// before. If so, what is expected next comes after these.
func (c *terminal) has(want []string) bool {
	lines := masked(c.lines())
	at := c.seen
	for _, line := range masked(want) {
		for at < len(lines) && lines[at] != line {
			at++
		}
		if at == len(lines) {
			return false
		}
		at++
	}
	c.seen = at
	return true
}

func (c *terminal) running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}
