package submission_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/lab/submission"
	"reconform.dev/reconform/labs"
)

// make the files of a submission; a name that ends with a slash is a folder.
func makeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCopy(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	makeFiles(t, from, map[string]string{"main.go": "package main", "bin/run": "#!/bin/sh", ".git/config": "", "pkg/a/a.js": "a"})
	if err := os.Chmod(filepath.Join(from, "bin", "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../pkg/a", filepath.Join(from, "bin", "a")); err != nil {
		t.Fatal(err)
	}
	if err := submission.Copy(from, to, submission.Usual()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := filepath.WalkDir(to, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		got[strings.TrimPrefix(path, to+"/")] = info.Mode().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"main.go": "-rw-r--r--", "bin/run": "-rwxr-xr-x", "bin/a": "Lrwxrwxrwx", "pkg/a/a.js": "-rw-r--r--"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was copied (-want +got):\n%s", diff)
	}
}

// TestCopyRefuses: links that lead out of the folder, special files and too much data
// are refused.
func TestCopyRefuses(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	makeFiles(t, filepath.Dir(outside), map[string]string{"secret": "secret"})
	link := func(to string) func(string) error {
		return func(dir string) error { return os.Symlink(to, filepath.Join(dir, "main.go")) }
	}
	for name, tc := range map[string]struct {
		make func(dir string) error
		want string
	}{
		"a link to a file elsewhere": {link(outside), "main.go is a link"},
		"a link upwards":             {link("../"), "main.go is a link"},
		"a link to nothing":          {link("nothing"), "main.go is a link"},
		"a link through a link": {func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "a/b"), 0o755), os.Symlink("a/b", filepath.Join(dir, "c")), os.Symlink("c/../../../x", filepath.Join(dir, "d")))
		}, "d is a link"},
		"a pipe":    {func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600) }, "pipe is neither"},
		"too large": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "large"), make([]byte, 101), 0o600) }, "more than 100 bytes"},
		"too many": {func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, "a/b/c/d/e/f"), 0o755)
		}, "more than 5 files"},
		"not there": {os.RemoveAll, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			from := t.TempDir()
			if err := tc.make(from); err != nil {
				t.Fatal(err)
			}
			err := submission.Copy(from, filepath.Join(t.TempDir(), "copy"), submission.Limits{Files: 5, Bytes: 100})
			var refused *submission.Refused
			if !errors.As(err, &refused) || !strings.Contains(refused.Why, tc.want) {
				t.Errorf("%v, want it refused with %q", err, tc.want)
			}
		})
	}
}

// TestProfile: a profile may name no file outside of the submission, and ask for
// nothing that other submissions share.
func TestProfile(t *testing.T) {
	// One that names as much as any lab's.
	files, err := student.Files(labs.FS, "beyond/webhook", "solution")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ old, new, want string }{
		"as it is":           {"", "", ""},
		"a network":          {"    ports: [webhook]", "    ports: [webhook]\n    network: ['10.0.0.1:22']", "asks for a network"},
		"another's folder":   {"    ports: [webhook]", "    ports: [webhook]\n    readable: [../other]", "../other, which is outside"},
		"the machine's":      {"    ports: [webhook]", "    ports: [webhook]\n    directory: /etc", "/etc, which is outside"},
		"another's program":  {"- bin/controller", "- ../other/bin/controller", "which is outside"},
		"another's manifest": {"[rbac.yaml]", "[../other/rbac.yaml]", "which is outside"},
		"a folder":           {"[rbac.yaml]", "[.]", "is not a file"},
		"objects of its own": {"rbac: [rbac.yaml]", "rbac: [rbac.yaml]\n    setup: [rbac.yaml]", "install.setup"},
		"webhooks":           {"[webhook.yaml]", "[../other/webhook.yaml]", "which is outside"},
		"writes for all":     {"rbac: [rbac.yaml]", "rbac: [rbac.yaml]\n    clusterWrites: [namespaces]", "install.clusterWrites"},
		"no YAML":            {"kind: Profile", "kind: [Profile", "profile.yaml:"},
		"no program":         {"bin/controller", "bin/nothing", "no program"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			makeFiles(t, dir, files)
			text := strings.Replace(files["profile.yaml"], tc.old, tc.new, 1)
			makeFiles(t, dir, map[string]string{"profile.yaml": text, "bin/controller": ""})
			if err := os.Chmod(filepath.Join(dir, "bin", "controller"), 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := submission.Profile(dir)
			var refused *submission.Refused
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Why, tc.want)):
				t.Errorf("%v, want it refused with %q", err, tc.want)
			case err != nil && strings.Contains(err.Error(), dir):
				t.Errorf("it names a folder of the teacher: %v", err)
			}
		})
	}
}
