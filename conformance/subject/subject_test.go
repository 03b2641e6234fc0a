//go:build unix

package subject_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/subject"
)

const patience = 20 * time.Second

// launchers runs a test with each kind of isolation that there is.
func launchers(t *testing.T, test func(t *testing.T, l *subject.Launcher)) {
	t.Run("isolated", func(t *testing.T) { test(t, isolated(t)) })
	t.Run("plain", func(t *testing.T) { test(t, subject.NewPlainLauncher("the test says so")) })
}

func isolated(t testing.TB) *subject.Launcher {
	t.Helper()
	l, err := subject.NewLauncher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !l.CanRunReplicas() {
		t.Skipf("this machine cannot isolate: %v", l.Isolation())
	}
	return l
}

// line is where the processes of a test connect to.
type line struct{ net.Listener }

func newLine(t testing.TB) line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return line{l}
}

func (l line) accept(t *testing.T) net.Conn {
	t.Helper()
	if err := l.Listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience)); err != nil {
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

// gone waits until the process at the other end is.
func gone(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a process lives on: %v", err)
	}
}

// spec of a subject that is this test binary, in a role.
func spec(t testing.TB, l line, role string) subject.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return subject.Spec{
		Name: "subject-0", Namespace: "sh-001", Command: []string{self},
		Env:  map[string]string{roleEnv: role, lineEnv: l.Addr().String()},
		Host: "127.0.0.1", Port: "6443", CA: []byte("-----CA-----"), Token: "secret",
		ScratchDir: filepath.Join(dir, "scratch"), Log: filepath.Join(dir, "log"),
	}
}

func start(t testing.TB, l *subject.Launcher, s subject.Spec) *subject.Process {
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

func wait(t *testing.T, p *subject.Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		t.Fatal("the subject does not end")
	}
}

func inspect(t *testing.T, l *subject.Launcher, s subject.Spec, line line) surroundings {
	t.Helper()
	p := start(t, l, s)
	var found surroundings
	if err := json.NewDecoder(line.accept(t)).Decode(&found); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	return found
}

func TestPod(t *testing.T) {
	launcher, line := isolated(t), newLine(t)
	if missing := launcher.Isolation(); len(missing) != 0 {
		t.Errorf("not isolated: %q", missing)
	}
	t.Setenv("KUBECONFIG", "/the/users/own")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	outside := t.TempDir()
	if err := os.Chmod(outside, 0o777); err != nil {
		t.Fatal(err)
	}
	leak, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	if _, err := dup(leak); err != nil { // inherited without anybody knowing
		t.Fatal(err)
	}
	s := spec(t, line, "inspect")
	s.Env["SUBJECT_OUTSIDE"], s.Directory = outside, outside
	got := inspect(t, launcher, s, line)

	user := os.Getuid()
	if user == 0 {
		user = 65532
	}
	config := got.Files["/run/home/.kube/config"]
	delete(got.Files, "/run/home/.kube/config")
	want := surroundings{
		Hostname: "subject-0", User: user, Directory: outside,
		Env: []string{
			"HOME=/run/home", "HOSTNAME=subject-0", "KUBECONFIG=/run/home/.kube/config",
			"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=6443", "KUBERNETES_SERVICE_PORT_HTTPS=6443",
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "POD_NAME=subject-0", "POD_NAMESPACE=sh-001",
			lineEnv + "=" + line.Addr().String(), "SUBJECT_OUTSIDE=" + outside, roleEnv + "=inspect",
		},
		Files: map[string]string{
			"/run/secrets/kubernetes.io/serviceaccount/token":     "0600 " + strconv.Itoa(user) + " <nil> secret",
			"/run/secrets/kubernetes.io/serviceaccount/ca.crt":    "0644 " + strconv.Itoa(user) + " <nil> -----CA-----",
			"/run/secrets/kubernetes.io/serviceaccount/namespace": "0644 " + strconv.Itoa(user) + " <nil> sh-001",
		},
		Run:          []string{"home", "secrets"},
		Descriptors:  []string{"0 /dev/null", "1 " + s.Log, "2 " + s.Log},
		WriteOutside: "open " + outside + "/written: read-only file system",
	}
	status, groups, tmp, processes := got.Status, got.Groups, got.Tmp, got.Processes
	got.Status, got.Groups, got.Tmp, got.Processes = nil, nil, nil, nil
	slices.Sort(got.Env)
	slices.Sort(want.Env)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the subject finds (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(config, "0600 "+strconv.Itoa(user)) || !strings.Contains(config, "server: https://127.0.0.1:6443") {
		t.Errorf("kubeconfig: %s", config)
	}
	if os.Getuid() == 0 && len(groups) != 0 {
		t.Errorf("supplementary groups: %v", groups)
	}
	if len(processes) != 2 {
		t.Errorf("sees processes %v, want its init and itself", processes)
	}
	// Only the way to this program and this directory shows in /tmp.
	for _, path := range tmp {
		if !strings.Contains(outside+s.Command[0], "/"+path) {
			t.Errorf("/tmp shows %s", path)
		}
	}
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
		if status[set] != "0000000000000000" {
			t.Errorf("%s: %s", set, status[set])
		}
	}
	if status["NoNewPrivs"] != "1" {
		t.Error("may gain new privileges")
	}
	if entries, err := os.ReadDir(filepath.Dir(s.ScratchDir)); err != nil || len(entries) != 1 {
		t.Errorf("left on the disk: %v, %v; want only the log", entries, err)
	}
	if info, err := os.Stat(s.Log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", info, err)
	}
}

func TestPlain(t *testing.T) {
	launcher, line := subject.NewPlainLauncher("the test says so"), newLine(t)
	if launcher.CanRunReplicas() || !strings.Contains(strings.Join(launcher.Isolation(), ""), "the test says so") {
		t.Errorf("says %v of its isolation", launcher.Isolation())
	}
	s := spec(t, line, "inspect")
	got := inspect(t, launcher, s, line)
	home := filepath.Join(s.ScratchDir, "home")
	for _, want := range []string{"HOME=" + home, "KUBECONFIG=" + filepath.Join(home, ".kube/config"), "TMPDIR=" + filepath.Join(s.ScratchDir, "tmp")} {
		if !slices.Contains(got.Env, want) {
			t.Errorf("environment lacks %s: %v", want, got.Env)
		}
	}
	for _, entry := range got.Env {
		if strings.HasPrefix(entry, "KUBERNETES_") {
			t.Errorf("environment promises a service-account folder: %s", entry)
		}
	}
	if got.Directory != home || got.WriteHome != "" || got.WriteTmp != "" {
		t.Errorf("in %s, home: %s, tmp: %s", got.Directory, got.WriteHome, got.WriteTmp)
	}
	if _, err := os.Stat(s.ScratchDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("scratch directory left behind: %v", err)
	}
}

func TestExit(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		type exit struct {
			Code     int
			Signal   string
			Panicked bool
		}
		for role, want := range map[string]exit{
			"exit137":  {Code: 137},
			"killself": {Code: 137, Signal: "SIGKILL"},
			"panic":    {Code: 2, Panicked: true},
			"fatal":    {Code: 2, Panicked: true},
			"exit2":    {Code: 2},
		} {
			t.Run(role, func(t *testing.T) {
				p := start(t, l, spec(t, newLine(t), role))
				wait(t, p)
				var got exit
				got.Code, got.Signal, got.Panicked = p.Exit()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("exit (-want +got):\n%s\n%s", diff, strings.Join(p.LogTail(20), "\n"))
				}
				if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
					t.Errorf("signal after the end: %v", err)
				}
			})
		}
	})
}

func TestSignal(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(sig.String(), func(t *testing.T) {
				line := newLine(t)
				p := start(t, l, spec(t, line, "serve"))
				conn := line.accept(t)
				if err := p.Signal(sig); err != nil {
					t.Fatal(err)
				}
				if got, err := bufio.NewReader(conn).ReadString('\n'); err != nil || got != sig.String()+"\n" {
					t.Errorf("got %q, %v", got, err)
				}
				wait(t, p)
				if code, signal, _ := p.Exit(); code != 0 || signal != "" {
					t.Errorf("ended with %d %s", code, signal)
				}
				if diff := cmp.Diff([]string{"got " + sig.String()}, p.LogTail(1)); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestUnhandledSignal(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		s := spec(t, newLine(t), "")
		s.Command = []string{"/bin/sleep", "600"}
		p := start(t, l, s)
		if err := p.Stop(t.Context(), patience); err != nil {
			t.Fatal(err)
		}
		if code, signal, _ := p.Exit(); code != 143 || signal != "SIGTERM" {
			t.Errorf("ended with %d %s", code, signal)
		}
	})
}

func TestStopKillsAfterGrace(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		s := spec(t, newLine(t), "")
		s.Command = []string{"/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 600; done"}
		p := start(t, l, s)
		if err := p.Stop(t.Context(), time.Millisecond); err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.Done():
		default:
			t.Error("not gone after Stop")
		}
	})
}

func TestPause(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		line := newLine(t)
		p := start(t, l, spec(t, line, "serve"))
		conn := line.accept(t)
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("hello\n")); err != nil {
			t.Fatal(err)
		}
		// Silence cannot be waited for otherwise.
		_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		answer := make([]byte, 6)
		if _, err := conn.Read(answer); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("answered while paused: %q, %v", answer, err)
		}
		if err := p.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "hello\n" {
			t.Errorf("after the pause: %q, %v", answer, err)
		}
	})
}

func TestNothingIsLeft(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		t.Run("after Kill", func(t *testing.T) {
			line := newLine(t)
			p := start(t, l, spec(t, line, "parent"))
			conns := []net.Conn{line.accept(t), line.accept(t)}
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			if code, signal, _ := p.Exit(); code != 137 || signal != "SIGKILL" {
				t.Errorf("ended with %d %s", code, signal)
			}
			gone(t, conns[0])
			gone(t, conns[1])
		})
		t.Run("after the program", func(t *testing.T) {
			line := newLine(t)
			p := start(t, l, spec(t, line, "leave"))
			conn := line.accept(t)
			wait(t, p)
			gone(t, conn)
		})
	})
}

// A bench killed with SIGKILL takes all with it, grandchildren in sessions of their own too.
func TestKilledBench(t *testing.T) {
	for _, role := range []string{"bench", "plainbench"} {
		t.Run(role, func(t *testing.T) {
			line, dir := newLine(t), t.TempDir()
			bench := exec.Command("/proc/self/exe")
			bench.Env = append(os.Environ(), roleEnv+"="+role, lineEnv+"="+line.Addr().String(), "SUBJECT_DIR="+dir)
			bench.Stderr = t.Output()
			if err := bench.Start(); err != nil {
				t.Fatal(err)
			}
			// The bench itself, the subject and the subject's child.
			conns := []net.Conn{line.accept(t), line.accept(t), line.accept(t)}
			if err := bench.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = bench.Wait()
			for _, conn := range conns {
				gone(t, conn)
			}
		})
	}
}

func TestProgramBelowPrivateFolder(t *testing.T) {
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		private := filepath.Join(t.TempDir(), "private")
		directory := filepath.Join(private, "project")
		if err := os.MkdirAll(filepath.Join(directory, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(private, 0o700); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(directory, "bin", "controller")
		copySelf(t, program)
		for name, change := range map[string]func(*subject.Spec){
			"program":               func(*subject.Spec) {},
			"program and directory": func(s *subject.Spec) { s.Directory = directory },
		} {
			t.Run(name, func(t *testing.T) {
				line := newLine(t)
				s := spec(t, line, "inspect")
				s.Command = []string{program}
				change(&s)
				got := inspect(t, l, s, line)
				if s.Directory != "" && got.Directory != directory {
					t.Errorf("started in %s", got.Directory)
				}
			})
		}
	})
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct {
		change func(*subject.Spec)
		want   string
	}{
		"missing program":     {func(s *subject.Spec) { s.Command[0] = dir + "/none" }, "program " + dir + "/none: no such file or directory"},
		"relative program":    {func(s *subject.Spec) { s.Command[0] = "none" }, `program "none": not an absolute path`},
		"not executable":      {func(s *subject.Spec) { s.Command[0] = file("data", "", 0o644) }, "not executable (mode 0644)"},
		"a directory":         {func(s *subject.Spec) { s.Command[0] = dir }, "not a file"},
		"wrong architecture":  {func(s *subject.Spec) { s.Command[0] = file("alien", "\x7fELF\x02\x01\x01alien", 0o755) }, "exec format error: not a program for "},
		"missing interpreter": {func(s *subject.Spec) { s.Command[0] = file("script", "#!/no/such\n", 0o755) }, "its interpreter or loader is missing"},
		"missing directory":   {func(s *subject.Spec) { s.Directory = dir + "/none" }, "directory " + dir + "/none: no such file or directory"},
		"no directory":        {func(s *subject.Spec) { s.Directory = file("plain", "", 0o644) }, "not a directory"},
		"no log":              {func(s *subject.Spec) { s.Log = dir + "/none/log" }, "open the log"},
		"no command":          {func(s *subject.Spec) { s.Command = nil }, "no command given"},
		"no host":             {func(s *subject.Spec) { s.Host = "" }, "no host given"},
	}
	launchers(t, func(t *testing.T, l *subject.Launcher) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				s := spec(t, newLine(t), "serve")
				test.change(&s)
				p, err := l.Start(t.Context(), s)
				if err == nil {
					_ = p.Kill()
					t.Fatal("started")
				}
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %q, want %q in it", err, test.want)
				}
			})
		}
	})
}

func TestShutOut(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts subjects as another user")
	}
	launcher, line := isolated(t), newLine(t)
	program := filepath.Join(t.TempDir(), "controller")
	copySelf(t, program)
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	s := spec(t, line, "serve")
	s.Command = []string{program}
	if _, err := launcher.Start(t.Context(), s); err == nil || !strings.Contains(err.Error(), "mode 0700 shuts out user 65532") {
		t.Errorf("got %v", err)
	}
}

// As root the tests above do not need a user namespace; so they run once more, as nobody.
func TestAsNobody(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("runs tests as nobody, which only root can")
	}
	dir, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "subject.test")
	copySelf(t, program)
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=5m")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestPod") {
		t.Skipf("nobody cannot isolate here:\n%s", out)
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

// dup makes a descriptor that is inherited.
func dup(file *os.File) (int, error) {
	fd, err := syscall.Dup(int(file.Fd()))
	return fd, err
}

func BenchmarkStart(b *testing.B) {
	for name, l := range map[string]*subject.Launcher{"isolated": isolated(b), "plain": subject.NewPlainLauncher("")} {
		b.Run(name, func(b *testing.B) {
			s := spec(b, newLine(b), "")
			s.Command = []string{"/bin/sleep", "600"}
			for b.Loop() {
				p, err := l.Start(b.Context(), s)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Kill(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
