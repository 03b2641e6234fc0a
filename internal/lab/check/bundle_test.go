package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
)

// bundle is one program made of many students' controllers: linking is most of the work of
// a build. Its first argument says which one it is.
type bundle struct {
	module string   // the folder of its sources
	names  []string // of the controllers: each is a package
	links  []string // where a student's program is expected
}

func newBundle(t *testing.T) *bundle {
	t.Helper()
	return &bundle{module: t.TempDir()}
}

// add adds a controller. It can be started once the bundle is built.
func (b *bundle) add(t *testing.T, files map[string]string) *profile.Profile {
	t.Helper()
	name := fmt.Sprintf("controller%d", len(b.names))
	b.names = append(b.names, name)
	sources, others := map[string]string{}, map[string]string{}
	for file, text := range files {
		if filepath.Ext(file) != ".go" {
			others[file] = text
			continue
		}
		text = strings.Replace(text, "package main\n", "package "+name+"\n", 1)
		sources[file] = strings.Replace(text, "\nfunc main() {\n", "\nfunc Main() {\n", 1)
	}
	if err := student.Write(filepath.Join(b.module, name), sources); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := student.Write(dir, others); err != nil {
		t.Fatal(err)
	}
	b.links = append(b.links, filepath.Join(dir, "bin", "controller"))
	if err := student.Write(b.module, map[string]string{"go.mod": others["go.mod"], "go.sum": others["go.sum"]}); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Load(filepath.Join(dir, "profile.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p.Spec.Launch.Command = slices.Insert(p.Spec.Launch.Command, 1, name)
	return p
}

// build builds the program.
func (b *bundle) build(t *testing.T) {
	t.Helper()
	imports, cases := "", ""
	for _, name := range b.names {
		imports += fmt.Sprintf("\t%q\n", "webapp-controller/"+name)
		cases += fmt.Sprintf("\tcase %q:\n\t\t%s.Main()\n", name, name)
	}
	main := "package main\n\nimport (\n\t\"os\"\n\n" + imports + ")\n\nfunc main() {\n\tname := os.Args[1]\n" +
		"\tos.Args = append(os.Args[:1], os.Args[2:]...)\n\tswitch name {\n" + cases + "\tdefault:\n\t\tpanic(name)\n\t}\n}\n"
	if err := student.Write(b.module, map[string]string{"main.go": main}); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(b.module, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, ".")
	build.Dir, build.Env = b.module, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, link := range b.links {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(program, link); err != nil {
			t.Fatal(err)
		}
	}
}
