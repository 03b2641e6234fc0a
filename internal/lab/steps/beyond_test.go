package steps

import (
	"os"
	"path"
	"strings"
	"testing"
)

// TestBeyond: every start has a gap that is marked, and no solution has one, or a mark.
func TestBeyond(t *testing.T) {
	files, err := Beyond(os.DirFS(labsDir))
	if err != nil {
		t.Fatal(err)
	}
	gaps := map[string]int{}
	for name, text := range files {
		gaps[path.Dir(name)] += strings.Count(text, "TODO(lab)")
		if strings.Contains(text, "lab:") {
			t.Errorf("%s has a mark left", name)
		}
	}
	if len(gaps) != 2*7 {
		t.Errorf("there are %d starts and solutions", len(gaps))
	}
	for folder, n := range gaps {
		if (n > 0) != (path.Base(folder) == "start") {
			t.Errorf("%s has %d gaps", folder, n)
		}
	}
}

// TestBeyondRefuses: a patch of lines that are not there any more is an error that names it.
func TestBeyondRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"controller/queue.go":      "package main\n",
		"beyond/lost/step.patch":   "diff --git a/queue.go b/queue.go\n--- a/queue.go\n+++ b/queue.go\n@@ -1,1 +1,1 @@\n-package other\n+package main\n",
		"beyond/lost/README.md":    "# Lost\n",
		"controller/rbac.yaml":     "rules: []\n",
		"beyond/lost/ignored.diff": "",
	} {
		file := path.Join(dir, name)
		if err := os.MkdirAll(path.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Beyond(os.DirFS(dir))
	if err == nil || !strings.Contains(err.Error(), "beyond/lost/step.patch") || !strings.Contains(err.Error(), "not there any more") {
		t.Errorf("error %v", err)
	}
}
