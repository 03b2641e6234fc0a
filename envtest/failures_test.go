package envtest

import (
	"crypto/sha256"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// expectFailure checks that Start fails and says all of wants.
func expectFailure(t *testing.T, opts Options, wants ...string) {
	t.Helper()
	cp, err := Start(t.Context(), opts)
	if err == nil {
		_ = cp.Stop(t.Context())
		t.Fatal("the control plane has started")
	}
	t.Log(err)
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q", want)
		}
	}
}

// realAssets is the folder of the binaries that the other tests run with.
func realAssets(t *testing.T) string {
	t.Helper()
	opts := Options{}
	opts.setDefaults()
	dir, err := opts.assets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBrokenAsset(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	scripts := map[string]string{
		"not a program": "\x7fELF no more",
		"exits":         "#!/bin/sh\n[ \"$1\" = --help ] && exit\necho something is wrong >&2\nexit 3\n",
	}
	wants := map[string][]string{"not a program": {"exec format error"}, "exits": {"something is wrong", "exit status 3"}}
	for _, broken := range []string{etcd, apiServer, controllerManager, kwok} {
		for what, content := range scripts {
			if what == "exits" && broken != apiServer {
				continue // one is enough: it takes time
			}
			t.Run(broken+" "+what, func(t *testing.T) {
				t.Parallel()
				dir := tempDir(t)
				for _, name := range []string{etcd, apiServer, controllerManager, scheduler, kwok} {
					if name == broken {
						if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
							t.Fatal(err)
						}
						continue
					}
					if err := os.Symlink(filepath.Join(realAssets(t), name), filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
				}
				work := tempDir(t)
				expectFailure(t, Options{AssetsDir: dir, WorkDir: work}, append(wants[what], broken)...)
				if left := processes(t, work); len(left) > 0 {
					t.Errorf("processes left: %v", left)
				}
			})
		}
	}
}

func TestMissingAssets(t *testing.T) {
	needsBinaries(t)
	dir := t.TempDir()
	for _, name := range []string{etcd, apiServer} {
		if err := os.Symlink(filepath.Join(realAssets(t), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	expectFailure(t, Options{AssetsDir: dir}, dir, "lacks kube-controller-manager, kube-scheduler, kwok")

	t.Run("KUBEBUILDER_ASSETS", func(t *testing.T) {
		t.Setenv("KUBEBUILDER_ASSETS", dir)
		var messages []string
		opts := Options{Progress: func(message string) { messages = append(messages, message) }}
		if got, err := opts.assets(t.Context()); err != nil || got == dir {
			t.Errorf("assets in %q, %v", got, err)
		}
		if want := "KUBEBUILDER_ASSETS is not used: " + dir + " lacks kube-controller-manager, kube-scheduler, kwok"; !slices.Contains(messages, want) {
			t.Errorf("messages %q, want %q", messages, want)
		}
		t.Chdir(t.TempDir())
		expectFailure(t, opts, dir+" (KUBEBUILDER_ASSETS) lacks kube-controller-manager, kube-scheduler, kwok", "make assets")
	})
}

func TestUnpackedAssets(t *testing.T) {
	sum := strings.Repeat("5a", sha256.Size)
	t.Setenv("RECONFORM_ASSETS", filepath.Join(t.TempDir(), "not-needed.tar.gz"))
	t.Setenv("RECONFORM_ASSETS_SHA256", sum)
	cache, module := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Chdir(module)
	if err := os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cached := filepath.Join(caches, "reconform", "k8s-"+Version+"-5a5a5a5a5a5a5a5a")
	built := filepath.Join(module, "bin", "k8s", Version)

	expectFailure(t, Options{}, "RECONFORM_ASSETS", "not-needed.tar.gz: no such file")
	unpackInto(t, built, strings.Repeat("00", sha256.Size))
	expectFailure(t, Options{}, "not-needed.tar.gz: no such file")
	for _, dir := range []string{cached, built} {
		unpackInto(t, dir, sum)
		opts := Options{Progress: func(string) {}}
		// The working directory may be another name of the same folder.
		if got, err := opts.assets(t.Context()); err != nil || !sameFile(t, got, dir) {
			t.Errorf("assets in %q, %v, want %s", got, err, dir)
		}
	}
}

// unpackInto makes a folder look as if an archive had been unpacked there.
func unpackInto(t *testing.T, dir, sum string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		".unpacked": sum, etcd: "", apiServer: "", controllerManager: "", scheduler: "", kwok: "", "kubectl": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	first, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(first, second)
}

func TestTakenPort(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	attempts := 0
	opts := Options{port: func() (int, error) {
		attempts++
		return l.Addr().(*net.TCPAddr).Port, nil
	}}
	expectFailure(t, opts, l.Addr().String(), "address already in use")
	if attempts < 2 {
		t.Errorf("asked for %d port: did not try again", attempts)
	}
}

func TestUnusableWorkDir(t *testing.T) {
	needsBinaries(t)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("not a folder", func(t *testing.T) {
		expectFailure(t, Options{WorkDir: file}, "work directory", file, "not a directory")
	})
	t.Run("read-only", func(t *testing.T) {
		dir := t.TempDir()
		if os.Getuid() == 0 {
			mount(t, dir, "ro,size=1m")
			expectFailure(t, Options{WorkDir: dir}, "work directory", dir, "read-only file system")
			return
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		expectFailure(t, Options{WorkDir: filepath.Join(dir, "work")}, "work directory", dir, "permission denied")
	})
	t.Run("full", func(t *testing.T) {
		dir := t.TempDir()
		mount(t, dir, "size=1m")
		expectFailure(t, Options{WorkDir: dir}, "work directory", dir, "MB free")
	})
}

// mount makes dir a small file system of its own, if this process has the right to.
func mount(t *testing.T, dir, options string) {
	t.Helper()
	if err := mountTmpfs(t, dir, options); err != nil {
		t.Skipf("cannot mount a small file system on %s: %v", runtime.GOOS, err)
	}
}

// TestFewFiles: where a process may open too few files, the error says so.
func TestFewFiles(t *testing.T) {
	const few = "FEW_FILES"
	if os.Getenv(few) != "" {
		if _, err := Start(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "ulimit") {
			t.Errorf("the start: %v", err)
		}
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -n 100 && exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), few+"=yes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
