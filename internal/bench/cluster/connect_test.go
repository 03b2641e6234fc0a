package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotAKubeconfig: a file that leads to no cluster is told in our words.
func TestNotAKubeconfig(t *testing.T) {
	const known = "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\ncontexts: [{name: b, context: {cluster: c}}, {name: a, context: {cluster: c}}]\n"
	for name, tc := range map[string]struct{ content, want string }{
		"empty":                {"", "FILE is not a kubeconfig: give the file that kubectl uses, such as ~/.kube/config"},
		"lines":                {"root:x:0:0:root:/root:/bin/sh\n", "FILE is not a kubeconfig"},
		"another object":       {"apiVersion: apps/v1\nkind: Deployment\n", "FILE is not a kubeconfig"},
		"no current context":   {"apiVersion: v1\nkind: Config\n" + known, "FILE has no current context; choose one of its contexts by --context: a, b"},
		"current one is gone":  {"apiVersion: v1\nkind: Config\ncurrent-context: x\n" + known, `FILE has no context "x", which is its current one; choose one by --context: a, b`},
		"context without more": {"apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n", `the context "a" of FILE leads to no cluster: `},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubeconfig")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := Connect(path, "")
			if want := strings.ReplaceAll(tc.want, "FILE", path); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}
