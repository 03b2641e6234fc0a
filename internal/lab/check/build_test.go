package check

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

// TestBuildIsOfNow: what is judged is what was written, and not what was built of it some time
// before, or what is no program.
func TestBuildIsOfNow(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no Go on the PATH")
	}
	t.Setenv("GOFLAGS", "")
	const sound = "package main\n\nfunc main() {}\n"
	built, changed := time.Now().Add(-time.Hour), time.Now()
	for name, tc := range map[string]struct {
		files map[string]string
		older []string // the files that are as old as the program
		want  string   // what is told; empty: it builds
	}{
		"a package that is not main":        {map[string]string{"go.mod": "module x\n", "main.go": "package lab\n"}, nil, "no program"},
		"over an earlier program":           {map[string]string{"go.mod": "module x\n", "main.go": "package lab\n", "bin/controller": "#!/bin/sh\n"}, nil, "bin/controller"},
		"no module, and changed since then": {map[string]string{"main.go": sound, "bin/controller": ""}, nil, "main.go has changed since bin/controller was built"},
		"no module, and built by hand":      {map[string]string{"main.go": sound, "bin/controller": ""}, []string{"main.go"}, ""},
		"with line ends of Windows":         {map[string]string{"go.mod": "module x\r\n", "main.go": "\ufeff" + strings.ReplaceAll(sound, "\n", "\r\n")}, nil, ""},
		"two packages":                      {map[string]string{"go.mod": "module x\n", "main.go": sound, "lab.go": "package lab\n"}, nil, "found packages"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				path, at := filepath.Join(dir, file), changed
				if file == "bin/controller" || slices.Contains(tc.older, file) {
					at = built
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o700), os.Chtimes(path, at, at)); err != nil {
					t.Fatal(err)
				}
			}
			err := Build(t.Context(), dir)
			var broken *NotBuilt
			if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &broken) || !strings.Contains(broken.Output, tc.want)) {
				t.Errorf("it says %v, want %q", err, tc.want)
			}
		})
	}
}
