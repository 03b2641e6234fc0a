package grade

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/labs"
)

const secret = "nobodyElseIsToReadThis"

// TestBuild: a build sees nothing of others, fetches nothing, and runs nothing.
func TestBuild(t *testing.T) {
	launcher, err := sandbox.NewLauncher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := launcher.CheckReplicas(); err != nil {
		t.Skip(err)
	}
	other := t.TempDir()
	put(t, other, map[string]string{"go.mod": "module other\n\ngo 1.26\n", "other.go": "package other\n\nconst Text = \"" + secret + "\"\n", "secret.h": secret + "\n"})
	const module, plain = "module mine\n\ngo 1.26\n", "package main\n\nfunc main() {}\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string // in why it was not built
	}{
		"a program":                 {map[string]string{"go.mod": module, "main.go": plain}, ""},
		"no program":                {map[string]string{"go.mod": module, "main.go": "package mine\n"}, "is it a package main?"},
		"no Go at all":              {map[string]string{"main.js": ""}, ""},
		"JavaScript, with a go.mod": {map[string]string{"go.mod": module, "package.json": "{}", "main.js": ""}, ""},
		"a slip":                    {map[string]string{"go.mod": module, "main.go": "package main\n\nfunc main() {"}, "main.go:3:14"},
		"another's":                 {map[string]string{"go.mod": module + "\nrequire other v0.0.0\n\nreplace other => " + other + "\n", "main.go": "package main\n\nimport \"other\"\n\nfunc main() { other.Text() }\n"}, "does not exist"},
		"an assembler":              {map[string]string{"go.mod": module, "main.go": plain, "main.s": "#include \"" + other + "/secret.h\"\n"}, "main.s"},
		"C":                         {map[string]string{"go.mod": module, "main.go": "package main\n\n// #include <stdio.h>\nimport \"C\"\n\nfunc main() { C.puts(nil) }\n"}, "build constraints exclude all Go files"},
		"newer Go":                  {map[string]string{"go.mod": "module mine\n\ngo 1.999\n", "main.go": plain}, "GOTOOLCHAIN=local"},
		"not in caches":             {map[string]string{"go.mod": module + "\nrequire example.com/x v1.0.0\n", "main.go": "package main\n\nimport \"example.com/x\"\n\nfunc main() { x.Y() }\n"}, "go.sum"},
		"settings":                  {map[string]string{"go.mod": module, "main.go": plain, "go.work": "go 1.999\n", "go.env": "GOFLAGS=-frob\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "submission")
			put(t, dir, tc.files)
			o := Options{Work: t.TempDir(), Labs: labs.FS, Launcher: launcher}
			err := o.build(t.Context(), dir)
			var broken *notBuilt
			if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &broken) || !strings.Contains(broken.why, tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("it has read what another one handed in: %v", err)
			}
			_, missing := os.Stat(filepath.Join(dir, "bin", "controller"))
			if built := tc.files["main.go"] != "" && tc.want == ""; built != (missing == nil) {
				t.Errorf("the program: %v", missing)
			}
		})
	}
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
