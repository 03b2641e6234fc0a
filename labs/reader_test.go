package labs_test

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// patience with what is to come, on a machine that has other work.
	patience = 60 * time.Second
	look     = 50 * time.Millisecond
)

// reader does what a text says.
type reader struct {
	dir       string
	env       []string
	terminals []*terminal // in which controllers were started, in this order
}

// follow one step of the text.
func (r *reader) follow(t *testing.T, s step) {
	t.Helper()
	switch {
	case s.command == interrupt:
		c := r.first()
		if c == nil {
			t.Fatal("no controller runs that Ctrl+C could end")
		}
		r.end(t, c)
		r.expectLines(t, s.want, c)
	case s.command == "":
		r.expectLines(t, s.want, r.terminals...)
	case strings.HasPrefix(s.command, "kind "):
		// What a new cluster does not have is the definition.
		r.output(t.Context(), "kubectl delete customresourcedefinition webapps.apps.kubedojo.io")
	case isController(s.command):
		c := start(t, r.dir, s.command, r.env)
		r.terminals = append(r.terminals, c)
		r.expectLines(t, s.want, c)
	default:
		r.run(t, s)
	}
}

// first of the controllers that run.
func (r *reader) first() *terminal {
	for _, c := range r.terminals {
		if c.running() {
			return c
		}
	}
	return nil
}

// end a controller as Ctrl+C does.
func (r *reader) end(t *testing.T, c *terminal) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("pressing Ctrl+C: %v", err)
	}
	select {
	case <-c.ended:
	case <-time.After(patience):
		t.Errorf("it has not ended %s after Ctrl+C", patience)
		_ = c.Process.Kill()
	}
}

// endAll controllers that still run, however the text has ended.
func (r *reader) endAll(t *testing.T) {
	t.Helper()
	for c := r.first(); c != nil; c = r.first() {
		r.end(t, c)
	}
}

// expectLines in one of the terminals.
func (r *reader) expectLines(t *testing.T, want []string, in ...*terminal) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), look, patience, true, func(context.Context) (bool, error) {
		for _, c := range in {
			if c.has(want) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Errorf("the text says that a controller prints\n  %s\nand what they print is", strings.Join(want, "\n  "))
		for _, c := range in {
			t.Errorf("  %s", strings.Join(c.lines(), "\n  "))
		}
	}
}

// run a command, until it prints what is expected if it only reads.
func (r *reader) run(t *testing.T, s step) {
	t.Helper()
	want := masked(s.want)
	var got []string
	err := wait.PollUntilContextTimeout(t.Context(), look, patience, true, func(ctx context.Context) (bool, error) {
		if now := r.output(ctx, s.command); ctx.Err() == nil {
			got = now
		}
		return !reads(s.command) || cmp.Equal(want, masked(got)), nil
	})
	if diff := cmp.Diff(want, masked(got)); diff != "" {
		t.Errorf("%s\nprints (-what the text says +what came, masked):\n%s\nwhich was:\n%s", s.command, diff, strings.Join(got, "\n"))
	}
	if err != nil && !wait.Interrupted(err) {
		t.Fatal(err)
	}
}

// output of a command, whatever its exit status.
func (r *reader) output(ctx context.Context, command string) []string {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	text := strings.TrimRight(string(out), "\n")
	if text == "" && err != nil {
		text = err.Error()
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
