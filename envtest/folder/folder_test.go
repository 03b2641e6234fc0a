package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// holdEnv makes this test binary a process that holds a folder until it is killed: the
// one of that name, or a temporary one if the name is empty.
const holdEnv = "HOLD_FOLDER"

// fullEnv lets such a process write nothing into files, as on a full disk.
const fullEnv = "DISK_IS_FULL"

func TestMain(m *testing.M) {
	path, holds := os.LookupEnv(holdEnv)
	if !holds {
		os.Exit(m.Run())
	}
	if os.Getenv(fullEnv) != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{}); err != nil {
			panic(err)
		}
	}
	take := func() (*Folder, error) { return Hold(path) }
	if path == "" {
		take = func() (*Folder, error) { return Temporary("") }
	}
	f, err := take()
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(f.Path(), "left"), nil, 0o600); err != nil {
		panic(err)
	}
	fmt.Println(f.Path())
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	_ = f.Release()
}

// elsewhere starts a process that holds a folder, and returns its path and how to kill
// the process.
func elsewhere(t *testing.T, path string) (held string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(said), kill
}

// TestFullDisk: what could not be taken leaves nothing behind, and the error says what to do.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	for held, want := range map[string]string{"": "set TMPDIR", filepath.Join(dir, "reports"): "taking the folder"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), holdEnv+"="+held, fullEnv+"=yes", "TMPDIR="+dir)
		if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), want) {
			t.Errorf("taking %q ended with %v, and must say %q:\n%s", held, err, want, said)
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != dir && path != filepath.Join(dir, "reports") {
			t.Errorf("%s was left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func touch(t *testing.T, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestHold(t *testing.T) {
	for name, tc := range map[string]struct {
		before  func(t *testing.T, dir string)
		refused string
	}{
		"absent": {func(*testing.T, string) {}, ""},
		"empty":  {func(t *testing.T, dir string) { mkdir(t, dir) }, ""},
		"ours":   {func(t *testing.T, dir string) { touch(t, dir, permanent); touch(t, dir, "logs", "x.log") }, ""},
		"it holds one of ours": {func(t *testing.T, dir string) {
			touch(t, dir, "mutants", permanent)
			touch(t, dir, "mutants", "matrix.md")
		}, ""},
		"and one deeper":             {func(t *testing.T, dir string) { touch(t, dir, "third-party", "kro", permanent) }, ""},
		"somebody's":                 {func(t *testing.T, dir string) { touch(t, dir, "logs", "mine.log") }, "it holds logs"},
		"one of ours and somebody's": {func(t *testing.T, dir string) { touch(t, dir, "a", permanent); touch(t, dir, "b") }, "it holds b"},
		"a folder as marker":         {func(t *testing.T, dir string) { mkdir(t, filepath.Join(dir, permanent)) }, "taking the folder"},
		"a file":                     {func(t *testing.T, dir string) { touch(t, dir) }, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "reports")
			tc.before(t, dir)
			f, err := Hold(dir)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("Hold = %v, want an error with %q", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Hold(dir); !errors.Is(err, ErrHeld) {
				t.Errorf("the second has %v, want %v", err, ErrHeld)
			}
			if err := f.Release(); err != nil {
				t.Fatal(err)
			}
			again, err := Hold(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Remove(); err != nil || exists(dir) {
				t.Errorf("Remove = %v, and the folder is there: %v", err, exists(dir))
			}
		})
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestManyAtOnce: if several want the same new folder at the same time, one gets it.
func TestManyAtOnce(t *testing.T) {
	for range 50 {
		dir := filepath.Join(t.TempDir(), "reports")
		var all sync.WaitGroup
		got := make(chan *Folder, 8)
		for range cap(got) {
			all.Go(func() {
				f, err := Hold(dir)
				if err == nil {
					got <- f
				} else if !errors.Is(err, ErrHeld) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(got) != 1 {
			t.Fatalf("%d got it", len(got))
		}
		_ = (<-got).Release()
	}
}

func TestTakenFromTheDead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	_, kill := elsewhere(t, dir)
	if _, err := Hold(dir); !errors.Is(err, ErrHeld) {
		t.Errorf("while it lives: %v, want %v", err, ErrHeld)
	}
	kill()
	f, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Release()
	if !exists(filepath.Join(dir, "left")) {
		t.Error("what it left is gone")
	}
}

// TestSweep: only the folders of dead processes are removed.
func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, kill := elsewhere(t, "")
	living, _ := elsewhere(t, "")
	mine := touch(t, os.TempDir(), prefix+"notes", "mine")
	reports := touch(t, os.TempDir(), prefix+"reports", permanent)
	if Abandoned(dead) {
		t.Error("a folder of a process that lives is abandoned")
	}
	kill()
	if !Abandoned(dead) {
		t.Error("a folder of a dead process is not abandoned")
	}
	f, err := Temporary("up-")
	if err != nil {
		t.Fatal(err)
	}
	if exists(dead) || !Abandoned(dead) {
		t.Error("what a dead process left is there")
	}
	for _, path := range []string{filepath.Join(living, "left"), mine, reports, f.Path()} {
		if !exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
	if err := f.Remove(); err != nil || exists(f.Path()) {
		t.Errorf("Remove = %v, and the folder is there: %v", err, exists(f.Path()))
	}
}

// TestTemporaryAndSweep: a folder that is just being made is not removed by a process
// that sweeps at the same time.
func TestTemporaryAndSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 30 {
				f, err := Temporary("")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Lstat(filepath.Join(f.Path(), temporary)); err != nil {
					t.Errorf("it is gone: %v", err)
				}
				if err := f.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	if _, err := Hold(filepath.Join(os.TempDir(), "\x00")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a name that cannot be: %v", err)
	}
}

// TestSweepInOddFolder: what a dead process left is removed, whatever the name of the folder
// around it.
func TestSweepInOddFolder(t *testing.T) {
	for _, name := range []string{"a [b", "a[1]", `a*\?`} {
		dir := filepath.Join(t.TempDir(), name)
		dead := filepath.Join(dir, prefix+"dead")
		if err := os.MkdirAll(dead, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := mark(dead, temporary); err != nil {
			t.Fatal(err)
		}
		f, err := TemporaryIn(dir, "up-")
		if err != nil {
			t.Fatal(err)
		}
		if exists(dead) {
			t.Errorf("in %q, what a dead process left is there", name)
		}
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// TestRelative: TMPDIR may be relative, and what is made there has an absolute path.
func TestRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "tmp")
	f, err := Temporary("")
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(f.Path()) {
		t.Errorf("the folder is %s", f.Path())
	}
	t.Chdir("/")
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the removal: %v", err)
	}
}

// TestFinish: what an error names stays until another temporary folder is made.
func TestFinish(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, tc := range map[string]struct {
		err   func(path string) error
		stays bool
	}{
		"no error":                  {err: func(string) error { return nil }},
		"an error that names none":  {err: func(string) error { return errors.New("no such port") }},
		"an error that names a log": {err: func(path string) error { return fmt.Errorf("etcd: see %s/etcd.log", path) }, stays: true},
		"one with a longer name":    {err: func(path string) error { return fmt.Errorf("etcd: see %s-other/etcd.log", path) }},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Temporary("finish-")
			if err != nil {
				t.Fatal(err)
			}
			ended := tc.err(f.Path())
			got := f.Finish(ended)
			if !errors.Is(got, ended) {
				t.Errorf("Finish: %v, want one with %v", got, ended)
			}
			if _, err := os.Stat(f.Path()); (err == nil) != tc.stays {
				t.Errorf("the folder after Finish: %v", err)
			}
			next, err := Temporary("finish-")
			if err != nil {
				t.Fatal(err)
			}
			if err := next.Finish(nil); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(f.Path()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder after the next one: %v", err)
			}
		})
	}
}
