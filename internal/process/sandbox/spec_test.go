//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKubeconfigTakenAway: KUBECONFIG names the file, and it is not set if the profile gives it
// an empty value, as in a Pod. Another empty variable stays.
func TestKubeconfigTakenAway(t *testing.T) {
	for given, want := range map[string]bool{"leave": true, "take": false} {
		s := &Spec{Name: "subject-0", Env: map[string]string{"WATCH_NAMESPACE": ""}}
		if given == "take" {
			s.Env["KUBECONFIG"] = ""
		}
		env := s.environment("/home", nil)
		if got := slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "KUBECONFIG=") }); got != want {
			t.Errorf("%s: KUBECONFIG is set: %t, want %t: %v", given, got, want, env)
		}
		if !slices.Contains(env, "WATCH_NAMESPACE=") {
			t.Errorf("%s: an empty variable is gone: %v", given, env)
		}
	}
}

// TestOpenOwn: the subject may enter the bench's folders below TMPDIR, and none above them, however
// TMPDIR is written. That of macOS ends in a slash.
func TestOpenOwn(t *testing.T) {
	for _, form := range []func(tmp string) string{
		func(tmp string) string { return tmp },
		func(tmp string) string { return tmp + "/" },
		func(tmp string) string { return filepath.Dir(tmp) + "//./" + filepath.Base(tmp) },
		func(tmp string) string { t.Chdir(filepath.Dir(tmp)); return filepath.Base(tmp) },
	} {
		tmp := filepath.Join(t.TempDir(), "tmp")
		scratch := filepath.Join(tmp, "reconform-1", "scratch")
		if err := os.MkdirAll(scratch, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("TMPDIR", form(tmp))
		if err := openOwn(scratch); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]fs.FileMode{tmp: 0o700, filepath.Dir(scratch): 0o701, scratch: 0o701} {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("TMPDIR=%s: %s has mode %04o, want %04o", os.TempDir(), path, got, want)
			}
		}
	}
}
