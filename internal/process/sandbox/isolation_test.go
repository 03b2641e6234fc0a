//go:build unix

package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/process/sandbox"
)

func inspect(t *testing.T, l *sandbox.Launcher, s sandbox.Spec, line line) surroundings {
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
	if _, err := dup(leak); err != nil { // inherited unawares
		t.Fatal(err)
	}
	s := spec(t, line, "inspect")
	s.Env["SUBJECT_OUTSIDE"], s.Directory = outside, outside
	s.Files = map[string]string{"key": "of its own"}
	got := inspect(t, launcher, s, line)

	// Here controller-runtime looks for the certificate of its webhook server.
	const files = "/tmp/k8s-webhook-server/serving-certs"
	if got := launcher.FilesFolder(s.ScratchDir); got != files {
		t.Errorf("the files are in %s, want %s", got, files)
	}
	if kubeconfig, err := launcher.Kubeconfig(s.ScratchDir); err != nil || kubeconfig != "/run/home/.kube/config" {
		t.Errorf("the kubeconfig is at %s, %v", kubeconfig, err)
	}
	user, group := notRoot(os.Getuid()), notRoot(os.Getgid())
	config := got.Files["/run/home/.kube/config"]
	delete(got.Files, "/run/home/.kube/config")
	want := surroundings{
		Hostname: "subject-0", User: user, Directory: outside,
		Env: []string{
			"HOME=/run/home", "HOSTNAME=subject-0", "KUBECONFIG=/run/home/.kube/config",
			"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=6443", "KUBERNETES_SERVICE_PORT_HTTPS=6443",
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "POD_NAME=subject-0", "POD_NAMESPACE=sh-001",
			"LOGNAME=nonroot", "USER=nonroot",
			lineEnv + "=" + line.Addr().String(), "SUBJECT_OUTSIDE=" + outside, roleEnv + "=inspect",
		},
		Files: map[string]string{
			"/run/secrets/kubernetes.io/serviceaccount/token":     "0600 " + strconv.Itoa(user) + " <nil> secret",
			"/run/secrets/kubernetes.io/serviceaccount/ca.crt":    "0644 " + strconv.Itoa(user) + " <nil> -----CA-----",
			"/run/secrets/kubernetes.io/serviceaccount/namespace": "0644 " + strconv.Itoa(user) + " <nil> sh-001",
			filepath.Join(files, "key"):                           "0600 " + strconv.Itoa(user) + " <nil> of its own",
		},
		Run:         []string{"home", "secrets"},
		Descriptors: []string{"0 /dev/null", "1 pipe", "2 pipe", "/dev/stdout again: <nil>"},
		System: map[string]string{
			"/etc/passwd": fmt.Sprintf("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%d:%d:nonroot:/run/home:/sbin/nologin\n", user, group),
			"/etc/group":  fmt.Sprintf("root:x:0:\nnonroot:x:%d:\n", group),
			"/etc/hosts": "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.0.1\tsubject-0\n" +
				"127.0.0.1\tkubernetes.default.svc kubernetes\n",
		},
		Name: "nonroot", Home: "/run/home", Resolved: []string{"127.0.0.1"},
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
	// Only the path to this program, this directory and the files are visible in /tmp.
	for _, path := range tmp {
		if !strings.Contains(outside+line.folder()+s.Command[0]+files, "/"+path) {
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

func notRoot(id int) int {
	if id == 0 {
		return 65532
	}
	return id
}

func TestPlain(t *testing.T) {
	launcher, line := sandbox.NewPlainLauncher("the test says so"), newLine(t)
	if !strings.Contains(strings.Join(launcher.Isolation(), ""), "the test says so") {
		t.Errorf("says %v of its isolation", launcher.Isolation())
	}
	want := "this machine cannot give two replicas identities of their own: no namespaces (the test says so)"
	if err := launcher.CheckReplicas(); err == nil || err.Error() != want {
		t.Errorf("two replicas: %v, want %s", err, want)
	}
	s := spec(t, line, "inspect")
	s.Files = map[string]string{"key": "of its own"}
	got := inspect(t, launcher, s, line)
	files := launcher.FilesFolder(s.ScratchDir)
	if want := filepath.Join(s.ScratchDir, "tmp/k8s-webhook-server/serving-certs"); files != want {
		t.Errorf("the files are in %s, want %s", files, want)
	}
	if key, want := got.Files[filepath.Join(files, "key")], fmt.Sprintf("0600 %d <nil> of its own", notRoot(os.Getuid())); key != want {
		t.Errorf("its own file: %q, want %q", key, want)
	}
	home := filepath.Join(s.ScratchDir, "home")
	self, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	name := self.Username
	if os.Getuid() == 0 {
		name = "nonroot"
	}
	if got.User != notRoot(os.Getuid()) {
		t.Errorf("runs as user %d", got.User)
	}
	for _, want := range []string{"USER=" + name, "LOGNAME=" + name, "HOME=" + home, "KUBECONFIG=" + filepath.Join(home, ".kube/config"), "TMPDIR=" + filepath.Join(s.ScratchDir, "tmp")} {
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

func TestProgramBelowPrivateFolder(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
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
		for name, change := range map[string]func(*sandbox.Spec){
			"program":               func(*sandbox.Spec) {},
			"program and directory": func(s *sandbox.Spec) { s.Directory = directory },
		} {
			t.Run(name, func(t *testing.T) {
				line := newLine(t)
				s := spec(t, line, "inspect")
				s.Command = []string{program}
				change(&s)
				if l.CheckReplicas() != nil && os.Getuid() == 0 && s.Directory != "" {
					keepsOut(t, s, private)
					return
				}
				got := inspect(t, l, s, line)
				if s.Directory != "" && got.Directory != directory {
					t.Errorf("started in %s", got.Directory)
				}
			})
		}
	})
}

// keepsOut: without namespaces a private folder cannot be shown to another user than
// root.
func keepsOut(t *testing.T, s sandbox.Spec, private string) {
	t.Helper()
	l := sandbox.NewPlainLauncher("the test says so")
	_, err := l.Start(t.Context(), s)
	if want := "folder " + private + " keeps out user 65532"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	l.Unconfine()
	if !strings.Contains(strings.Join(l.Isolation(), ""), "run as root") {
		t.Errorf("says %v of its isolation", l.Isolation())
	}
	p, err := l.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

// TestReadable: a program may read a folder that its Spec names, even inside a folder
// that others may not enter. It may read nothing else in there.
func TestReadable(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		private := filepath.Join(t.TempDir(), "private")
		modules := filepath.Join(private, "modules")
		if err := os.MkdirAll(modules, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(modules, "module"), []byte("found"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(private, "key"), []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(private, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]struct {
			readable []string
			files    map[string]string
		}{
			"not named": {nil, map[string]string{"modules/module": "", "key": ""}},
			"named":     {[]string{modules}, map[string]string{"modules/module": "found", "key": ""}},
		} {
			t.Run(name, func(t *testing.T) {
				line := newLine(t)
				s := spec(t, line, "inspect")
				s.Readable, s.Env[readEnv] = append(s.Readable, want.readable...), private
				if l.CheckReplicas() != nil && os.Getuid() == 0 && want.readable != nil {
					keepsOut(t, s, private)
					return
				}
				got := inspect(t, l, s, line)
				if l.CheckReplicas() != nil {
					return // it sees what the bench sees
				}
				if diff := cmp.Diff(want.files, got.Read); diff != "" {
					t.Errorf("what it can read (-want +got):\n%s", diff)
				}
			})
		}
	})
}

// TestWritable: files that a program writes into its folder are still there when it has
// ended. It can write nowhere else.
func TestWritable(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		beside := openFolder(t)
		folder := filepath.Join(beside, "folder")
		for path, mode := range map[string]os.FileMode{folder: 0o777, beside: 0o755} {
			if err := errors.Join(os.MkdirAll(path, 0o755), os.Chmod(path, mode)); err != nil {
				t.Fatal(err)
			}
		}
		for outside, want := range map[string]bool{folder: true, beside: l.CheckReplicas() != nil && os.Getuid() != 0} {
			line := newLine(t)
			s := spec(t, line, "inspect")
			s.Env["SUBJECT_OUTSIDE"], s.Writable = outside, folder
			got := inspect(t, l, s, line)
			if _, err := os.Stat(filepath.Join(outside, "written")); (err == nil) != want {
				t.Errorf("in %s: %v; the subject: %q", outside, err, got.WriteOutside)
			}
		}
	})
}

// As root the tests above do not need a user namespace, so they run once more as the
// user nobody.
func TestAsNobody(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("runs tests as the user nobody, which only root can do")
	}
	const nobody = 65534
	dir := openFolder(t)
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "subject.test")
	copySelf(t, program)
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=5m")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestPod") {
		t.Skipf("the user nobody cannot isolate here:\n%s", out)
	}
}

// openFolder makes a folder that every user can enter: below the folder for temporary
// files, or below /tmp where that one is private.
func openFolder(t *testing.T) string {
	t.Helper()
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		if !open(t, parent) {
			continue
		}
		dir, err := os.MkdirTemp(parent, "open")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Skip("there is no folder that every user can enter")
	return ""
}

// open tells whether every user can enter the folder.
func open(t *testing.T, dir string) bool {
	t.Helper()
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// dup makes a descriptor that is inherited.
func dup(file *os.File) (int, error) {
	fd, err := syscall.Dup(int(file.Fd()))
	return fd, err
}
