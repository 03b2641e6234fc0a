//go:build unix

package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/process/sandbox"
)

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct {
		change func(*sandbox.Spec)
		want   string
	}{
		"missing program":     {func(s *sandbox.Spec) { s.Command[0] = dir + "/none" }, "program " + dir + "/none: no such file or directory"},
		"relative program":    {func(s *sandbox.Spec) { s.Command[0] = "none" }, `program "none": not an absolute path`},
		"not executable":      {func(s *sandbox.Spec) { s.Command[0] = file("data", "", 0o644) }, "not executable (mode 0644)"},
		"a directory":         {func(s *sandbox.Spec) { s.Command[0] = dir }, "not a file"},
		"wrong architecture":  {func(s *sandbox.Spec) { s.Command[0] = file("alien", "\x7fELF\x02\x01\x01alien", 0o755) }, "exec format error: not a program for "},
		"missing interpreter": {func(s *sandbox.Spec) { s.Command[0] = file("script", "#!/no/such\n", 0o755) }, "its interpreter or loader is missing"},
		"missing directory":   {func(s *sandbox.Spec) { s.Directory = dir + "/none" }, "directory " + dir + "/none: no such file or directory"},
		"nothing to read":     {func(s *sandbox.Spec) { s.Readable = []string{dir + "/none"} }, "readable folder " + dir + "/none: no such file or directory"},
		"no directory":        {func(s *sandbox.Spec) { s.Directory = file("plain", "", 0o644) }, "not a directory"},
		"no log":              {func(s *sandbox.Spec) { s.Log = dir + "/none/log" }, "opening the log"},
		"no command":          {func(s *sandbox.Spec) { s.Command = nil }, "no command given"},
		"no host":             {func(s *sandbox.Spec) { s.Host = "" }, "no host given"},
	}
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				s := spec(t, newLine(t), "serve")
				test.change(&s)
				p, err := l.Start(t.Context(), s)
				if err == nil {
					_ = p.Kill()
					t.Fatal("started")
				}
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %q, want %q in it", err, test.want)
				}
			})
		}
	})
}

func TestShutOut(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts subjects as another user")
	}
	launcher, line := isolated(t), newLine(t)
	program := filepath.Join(t.TempDir(), "controller")
	copySelf(t, program)
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	s := spec(t, line, "serve")
	s.Command = []string{program}
	if _, err := launcher.Start(t.Context(), s); err == nil || !strings.Contains(err.Error(), "mode 0700 keeps out user 65532") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkStart(b *testing.B) {
	for name, l := range map[string]*sandbox.Launcher{"isolated": isolated(b), "plain": sandbox.NewPlainLauncher("")} {
		b.Run(name, func(b *testing.B) {
			s := spec(b, newLine(b), "")
			s.Command = []string{"/bin/sleep", "600"}
			for b.Loop() {
				p, err := l.Start(b.Context(), s)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Kill(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
