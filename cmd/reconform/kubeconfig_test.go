package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/envtest/folder"
)

const aKubeconfig = `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
	"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}], "users": [{"name": "u", "user": {}}],
	"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}]}`

func TestTakeOver(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	living, err := folder.Temporary("up-")
	if err != nil {
		t.Fatal(err)
	}
	defer living.Remove()
	dead := filepath.Join(t.TempDir(), "gone")
	written := func(owner string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := (kubeconfigFile{path, owner}).write([]byte(aKubeconfig)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tc := range map[string]struct {
		before func(t *testing.T, path string)
		want   string // in the error
	}{
		"none":                   {func(*testing.T, string) {}, ""},
		"of one that was killed": {written(dead), ""},
		"and changed since": {func(t *testing.T, path string) {
			written(dead)(t, path)
			setNamespace(t, path)
		}, ""},
		"of one that runs":   {written(living.Path()), "is running"},
		"another kubeconfig": {func(t *testing.T, path string) { put(t, path, aKubeconfig) }, "exists"},
		"something else":     {func(t *testing.T, path string) { put(t, path, "not ours") }, "exists"},
		"a folder":           {func(t *testing.T, path string) { _ = os.Mkdir(path, 0o700) }, "exists"},
		"a link to one of ours": {func(t *testing.T, path string) {
			written(dead)(t, path+"-far")
			_ = os.Symlink(path+"-far", path)
		}, "exists"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubeconfig")
			tc.before(t, path)
			err := kubeconfigFile{path: path}.takeOver()
			_, there := os.Lstat(path)
			if tc.want == "" {
				if err != nil || there == nil {
					t.Errorf("takeOver = %v, and it is there: %v", err, there == nil)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || there != nil {
				t.Errorf("takeOver = %v, want an error with %q, and it is there: %v", err, tc.want, there == nil)
			}
		})
	}
}

func TestRemoveKubeconfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	ours := kubeconfigFile{path, t.TempDir()}
	if err := ours.remove(); err != nil {
		t.Errorf("none: %v", err)
	}
	if err := ours.write([]byte(aKubeconfig)); err != nil {
		t.Fatal(err)
	}
	if err := ours.write([]byte(aKubeconfig)); err == nil {
		t.Error("it was written over another")
	}
	setNamespace(t, path)
	if err := ours.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("it is there")
	}
	put(t, path, aKubeconfig)
	if err := ours.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("what somebody put in its place: %v", err)
	}
}

// setNamespace is what users do first with a kubeconfig, in the way of kubectl config.
func setNamespace(t *testing.T, path string) {
	t.Helper()
	access := clientcmd.NewDefaultPathOptions()
	access.LoadingRules.ExplicitPath = path
	config, err := access.GetStartingConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Contexts[config.CurrentContext].Namespace = "try"
	if err := clientcmd.ModifyConfig(access, *config, true); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
