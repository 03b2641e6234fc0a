//go:build unix

package sandbox_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"reconform.dev/reconform/internal/process/sandbox"
)

const patience = 20 * time.Second

// launchers runs a test with each kind of isolation that there is.
func launchers(t *testing.T, test func(t *testing.T, l *sandbox.Launcher)) {
	t.Run("isolated", func(t *testing.T) { test(t, isolated(t)) })
	t.Run("plain", func(t *testing.T) { test(t, sandbox.NewPlainLauncher("the test says so")) })
}

func isolated(t testing.TB) *sandbox.Launcher {
	t.Helper()
	l, err := sandbox.NewLauncher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.CheckReplicas(); err != nil {
		t.Skip(err)
	}
	return l
}

// line is a listener that the processes of a test connect to. It is a file, which is
// there in any network.
type line struct{ net.Listener }

func newLine(t testing.TB) line {
	t.Helper()
	dir, err := os.MkdirTemp("", "line")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for _, open := range []string{dir, path} { // to the subject's user
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return line{l}
}

func (l line) folder() string { return filepath.Dir(l.Addr().String()) }

func (l line) accept(t *testing.T) net.Conn {
	t.Helper()
	if err := l.Listener.(*net.UnixListener).SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// gone waits until the process at the other end is gone.
func gone(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a process is still alive: %v", err)
	}
}

// spec of a subject that is this test binary, in a role.
func spec(t testing.TB, l line, role string) sandbox.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return sandbox.Spec{
		Name: "subject-0", Namespace: "sh-001", Command: []string{self},
		Env: map[string]string{roleEnv: role, lineEnv: l.Addr().String()}, Readable: []string{l.folder()},
		Host: "127.0.0.1", Port: "6443", HostNames: []string{"kubernetes.default.svc", "kubernetes"}, CA: []byte("-----CA-----"), Token: "secret", KubeconfigToken: "another secret",
		ScratchDir: filepath.Join(dir, "scratch"), Log: filepath.Join(dir, "log"),
	}
}

func start(t testing.TB, l *sandbox.Launcher, s sandbox.Spec) *sandbox.Process {
	t.Helper()
	p, err := l.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func wait(t *testing.T, p *sandbox.Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatal("the subject has not ended")
	}
}

func copySelf(t *testing.T, path string) {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
}
