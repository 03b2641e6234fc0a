package mistake_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

// TestGivenCompiles: what each debug lab gives to a student compiles, and is not the
// solution.
func TestGivenCompiles(t *testing.T) {
	patches, err := fs.Glob(labs.FS, "debug/*/"+mistake.File)
	if err != nil || len(patches) == 0 {
		t.Fatalf("%v, %v", patches, err)
	}
	positions := token.NewFileSet()
	imports := importer.ForCompiler(positions, "gc", compiled(t))
	for _, patch := range patches {
		lab := path.Dir(patch)
		given, err := student.Files(labs.FS, lab, "start")
		if err != nil {
			t.Error(err)
			continue
		}
		solution, err := student.Files(labs.FS, lab, "solution")
		if err != nil {
			t.Fatal(err)
		}
		if cmp.Equal(given, solution) {
			t.Errorf("%s gives the solution", lab)
		}
		var files []*ast.File
		for name, text := range given {
			if path.Ext(name) != ".go" {
				continue
			}
			file, err := parser.ParseFile(positions, lab+"/"+name, text, 0)
			if err != nil {
				t.Error(err)
				continue
			}
			files = append(files, file)
		}
		config := types.Config{Importer: imports, Error: func(err error) { t.Error(err) }}
		_, _ = config.Check("main", positions, files, nil) // Error has its errors.
	}
}

// compiled finds what the solution imports, compiled.
func compiled(t *testing.T) importer.Lookup {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./labs/"+mistake.Base)
	list.Dir = "../../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exported[name] = file
	}
	return func(name string) (io.ReadCloser, error) {
		if exported[name] == "" {
			return nil, fmt.Errorf("the solution does not import %s", name)
		}
		return os.Open(exported[name])
	}
}
