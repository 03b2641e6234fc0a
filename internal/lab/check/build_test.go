package check

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBuildOfBoth: if a folder has both a Go module and a package.json, the Go files decide what
// is built. It is the same each time.
func TestBuildOfBoth(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no Go on the PATH")
	}
	for name, tc := range map[string]struct {
		files  map[string]string
		builds bool
	}{
		"Go, with tools in JavaScript": {map[string]string{"go.mod": "module x\n", "main.go": "package main\n\nfunc main() { wrong }\n", "package.json": "{}"}, false},
		"Go that compiles":             {map[string]string{"go.mod": "module x\n", "main.go": "package main\n\nfunc main() {}\n", "package.json": "{}", "a.js": "wrong("}, true},
		"JavaScript, with a go.mod":    {map[string]string{"go.mod": "module x\n", "package.json": "{}", "package-lock.json": "{}", "node_modules/.package-lock.json": "{}"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("node"); err != nil && tc.files["main.go"] == "" {
				t.Skip("there is no Node.js on the PATH")
			}
			dir := filepath.Join(t.TempDir(), "my lab [1]")
			t.Setenv("GOFLAGS", "")
			for file, text := range tc.files {
				path := filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for range 8 { // the order of a map is not
				err := Build(t.Context(), dir)
				var broken *NotBuilt
				if builds := err == nil; builds != tc.builds || !builds && !errors.As(err, &broken) {
					t.Fatalf("%v, and it builds: %t", err, tc.builds)
				}
			}
		})
	}
}
