package supervisor_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/envtest/supervisor"
)

// parentOf is an environment variable that makes this test's binary the parent of a
// supervised shell, which runs the script in it.
const parentOf = "SUPERVISOR_TEST_PARENT_OF"

func TestMain(m *testing.M) {
	supervisor.Main()
	if script := os.Getenv(parentOf); script != "" {
		beParent(script)
	}
	os.Exit(m.Run())
}

// beParent runs the script under a supervisor, by a link if there is a folder for it,
// until this process is killed.
func beParent(script string) {
	fail := func(err error) {
		if err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
	}
	opts := supervisor.Options{Grace: time.Minute, Remove: os.Getenv("REMOVE")}
	if dir := os.Getenv("LINK_DIR"); dir != "" {
		line, err := supervisor.NewLifeline(dir)
		fail(err)
		link, err := line.Link("shell", "/bin/sh", opts)
		fail(err)
		cmd := exec.Command(link, "-c", script)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		fail(cmd.Run())
		runtime.KeepAlive(line)
		return
	}
	cmd, err := supervisor.Command(context.Background(), opts, "/bin/sh", "-c", script)
	fail(err)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	fail(cmd.Start())
	fail(cmd.Wait())
}

// shell starts a supervised shell and returns what it prints. The output ends when no
// process has it open any more: neither the supervisor, nor the shell, nor anything
// that the shell has started.
func shell(t *testing.T, opts supervisor.Options, script string) (*supervisor.Cmd, *bufio.Reader) {
	t.Helper()
	cmd, err := supervisor.Command(t.Context(), opts, "/bin/sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	out := output(t, cmd.Cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Stdout.(*os.File).Close()
	return cmd, out
}

func output(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	return bufio.NewReader(r)
}

func expectLine(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	if got, err := r.ReadString('\n'); err != nil || strings.TrimSpace(got) != want {
		t.Fatalf("read %q, %v; want %q", got, err, want)
	}
}

func expectEOF(t *testing.T, r *bufio.Reader) {
	t.Helper()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Fatalf("read %q, %v; want the end", rest, err)
	}
}

func TestExitStatus(t *testing.T) {
	tests := []struct {
		name, script string
		want         string
	}{
		{"success", "exit 0", ""},
		{"failure", "exit 3", "exit status 3"},
		{"terminated", "kill -TERM $$", "signal: terminated"},
		{"killed", "kill -KILL $$", "signal: killed"},
		{"aborted", "kill -ABRT $$", "exit status 134"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd, _ := shell(t, supervisor.Options{}, tt.script)
			got := ""
			if err := cmd.Wait(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("ended with %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	if _, err := supervisor.Command(t.Context(), supervisor.Options{}, "/no/such/program"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing program: %v, want %v", err, os.ErrNotExist)
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("\x7fELF no more"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd, err := supervisor.Command(t.Context(), supervisor.Options{}, broken)
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr // a supervisor that cannot do its work says so, with any options
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 126 || !strings.Contains(stderr.String(), "exec format error") {
		t.Errorf("broken program: %v, standard error %q", err, stderr.String())
	}
}

func TestArgumentsAndEnvironmentReachTheChild(t *testing.T) {
	cmd, err := supervisor.Command(t.Context(), supervisor.Options{Env: []string{"ADDED=too"}},
		"/bin/sh", "-c", `printf '%s|' "$@" "$PLACE" "$ADDED" "$PWD"`, "sh", "a b", "", "--help")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PLACE=here"}
	out := output(t, cmd.Cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Stdout.(*os.File).Close()
	got, _ := io.ReadAll(out)
	if want := "a b||--help|here|too|" + cmd.Dir + "|"; string(got) != want {
		t.Errorf("child saw %q, want %q", got, want)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestExtraFilesReachTheChild(t *testing.T) {
	cmd, err := supervisor.Command(t.Context(), supervisor.Options{}, "/bin/sh", "-c", "echo hello >&4; echo hidden 2>/dev/null >&3 || echo closed >&4")
	if err != nil {
		t.Fatal(err)
	}
	out := output(t, cmd.Cmd)
	cmd.ExtraFiles = []*os.File{cmd.Stdout.(*os.File)}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Stdout.(*os.File).Close()
	expectLine(t, out, "hello")
	expectLine(t, out, "closed")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestSignalsAreForwarded(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, out := shell(t, supervisor.Options{}, `for s in TERM INT HUP USR1; do trap "echo got it; exit 7" $s; done; echo ready; while :; do sleep 0.05; done`)
			expectLine(t, out, "ready")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			expectLine(t, out, "got it")
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 7 {
				t.Errorf("exit code %d, want 7", code)
			}
		})
	}
}

func TestContextEndsTheChild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd, err := supervisor.Command(ctx, supervisor.Options{}, "/bin/sh", "-c", "echo ready; sleep 1000")
	if err != nil {
		t.Fatal(err)
	}
	out := output(t, cmd.Cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Stdout.(*os.File).Close()
	expectLine(t, out, "ready")
	cancel()
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("ended with %v, want signal: killed", err)
	}
	expectEOF(t, out)
}

// children is a script that starts a child in its own group and, if the system can do
// that, one that has moved to another group.
func children() string {
	script := "sleep 1000 & "
	if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" {
		script += "setsid sleep 1000 & "
	}
	return script
}

func TestNothingOutlivesTheChild(t *testing.T) {
	cmd, out := shell(t, supervisor.Options{}, children()+"echo ready")
	expectLine(t, out, "ready")
	expectEOF(t, out)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestNothingOutlivesAKilledParent(t *testing.T) {
	for _, way := range []string{"command", "link"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			remove := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(remove, 0o700); err != nil {
				t.Fatal(err)
			}
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), "REMOVE="+remove,
				parentOf+`=trap "echo told; exit" TERM; `+children()+"echo ready; while :; do sleep 0.05; done")
			if way == "link" {
				parent.Env = append(parent.Env, "LINK_DIR="+t.TempDir())
			}
			out := output(t, parent)
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			parent.Stdout.(*os.File).Close()
			expectLine(t, out, "ready")
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait()
			expectLine(t, out, "told")
			expectEOF(t, out)
			if _, err := os.Stat(remove); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("folder to remove: %v, want %v", err, os.ErrNotExist)
			}
		})
	}
}

func TestGraceEnds(t *testing.T) {
	cmd, out := shell(t, supervisor.Options{Grace: 50 * time.Millisecond}, `trap "echo no" TERM; echo ready; while :; do sleep 0.01; done`)
	expectLine(t, out, "ready")
	if err := cmd.Cut(); err != nil {
		t.Fatal(err)
	}
	expectLine(t, out, "no")
	expectEOF(t, out)
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("ended with %v, want signal: killed", err)
	}
}

func TestKilledSupervisorTakesTheChildAlong(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no such protection on " + runtime.GOOS)
	}
	cmd, out := shell(t, supervisor.Options{}, "echo ready; exec sleep 1000")
	expectLine(t, out, "ready")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	expectEOF(t, out)
	_ = cmd.Wait()
}

func TestCredential(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	const nobody = 65534
	cmd, out := shell(t, supervisor.Options{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}, "id -u; id -g")
	expectLine(t, out, strconv.Itoa(nobody))
	expectLine(t, out, strconv.Itoa(nobody))
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestLifeline(t *testing.T) {
	line, err := supervisor.NewLifeline(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link, err := line.Link("shell", "/bin/sh", supervisor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) (*exec.Cmd, *bufio.Reader) {
		cmd := exec.Command(link, "-c", script)
		out := output(t, cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmd.Stdout.(*os.File).Close()
		return cmd, out
	}
	first, firstOut := run("echo one; sleep 1000")
	second, secondOut := run("echo two; sleep 1000")
	expectLine(t, firstOut, "one")
	expectLine(t, secondOut, "two")
	for range 2 {
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	}
	expectEOF(t, firstOut)
	expectEOF(t, secondOut)
	late, lateOut := run("sleep 1000")
	expectEOF(t, lateOut)
	for _, cmd := range []*exec.Cmd{first, second, late} {
		if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Errorf("ended with %v, want signal: killed", err)
		}
	}
}

// TestDismissed: who closes the lifeline and goes on keeps its folders. Somebody else may have
// them by the time at which the last child ends.
func TestDismissed(t *testing.T) {
	line, err := supervisor.NewLifeline(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	var children []*exec.Cmd
	for _, name := range []string{"one", "two", "three"} {
		link, err := line.Link(name, "/bin/sh", supervisor.Options{Remove: kept})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(link, "-c", "echo ready; exec sleep 1000")
		out := output(t, cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmd.Stdout.(*os.File).Close()
		expectLine(t, out, "ready")
		children = append(children, cmd)
	}
	if err := line.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Errorf("ended with %v, want signal: killed", err)
		}
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the folder that was to be removed only if its owner is gone: %v", err)
	}
}

// TestNextOwner: the next owner of a folder gets it when the children of a killed one have ended,
// and keeps what it puts there.
func TestNextOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	owned, err := folder.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	gate := filepath.Join(t.TempDir(), "gate")
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "REMOVE="+dir, "LINK_DIR="+t.TempDir(),
		parentOf+`=trap "echo told; while ! [ -e `+gate+` ]; do sleep 0.01; done; exit" TERM; echo ready; while :; do sleep 0.01; done`)
	out := output(t, parent)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	parent.Stdout.(*os.File).Close()
	expectLine(t, out, "ready")
	if err := errors.Join(owned.Release(), parent.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	expectLine(t, out, "told")
	if _, err := folder.Hold(dir); !errors.Is(err, folder.ErrHeld) {
		t.Errorf("while a child runs: %v, want %v", err, folder.ErrHeld)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expectEOF(t, out)
	next, err := folder.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if orphan := folder.Inherit(dir); orphan != nil {
		t.Error("the folder of the next owner counts as left")
	}
	if err := next.Remove(); err != nil {
		t.Error(err)
	}
}
