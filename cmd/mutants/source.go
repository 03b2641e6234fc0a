package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/internal/mutant"
)

// splice replaces the bytes from one offset to another.
type splice struct {
	from, to int
	text     string
}

// adaptSource replaces the imports of the controller's packages by those of the mutant's
// copies. It also changes the main package into one that can be imported, with a function
// Main.
func (b *base) adaptSource(m mutant.Mutant, name string, content []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, content, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var splices []splice
	replace := func(node ast.Node, text string) {
		splices = append(splices, splice{files.Position(node.Pos()).Offset, files.Position(node.End()).Offset, text})
	}
	if path.Dir(name) == b.main {
		replace(file.Name, "mutant")
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" {
				replace(f.Name, "Main")
			}
		}
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if folder, ours := strings.CutPrefix(imported, module+"/"); ours && slices.Contains(b.folders, folder) {
			replace(spec.Path, strconv.Quote(importPath(m.Name, folder)))
		}
	}
	slices.SortFunc(splices, func(a, b splice) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(content[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(content[at:])
	return out.Bytes(), nil
}

// importPath returns the import path of a folder in a mutant's copy.
func importPath(name, folder string) string {
	return path.Join(module, outDir, name, folder)
}

// writeMain writes the program that can run as any of the mutants.
func writeMain(out string, bases map[string]*base, mutants []mutant.Mutant) error {
	var imports, table bytes.Buffer
	for i, m := range mutants {
		fmt.Fprintf(&imports, "\tm%d %q\n", i, importPath(m.Name, bases[m.Base].main))
		fmt.Fprintf(&table, "\t\t{%q, %q, m%d.Main},\n", m.Name, m.CaughtBy+": "+m.Mistake, i)
	}
	source := fmt.Sprintf(mainSource, imports.String(), table.String())
	if err := os.WriteFile(filepath.Join(out, "main.go"), []byte(source), 0o644); err != nil {
		return fmt.Errorf("writing the program: %w", err)
	}
	return nil
}

const mainSource = `package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

%s)

type mutant struct {
	name, mistake string
	main          func()
}

func main() {
	mutants := []mutant{
%s	}
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--list" {
		for _, m := range mutants {
			fmt.Printf("%%-40s %%s\n", m.name, m.mistake)
		}
		return
	}
	if len(args) > 1 && args[0] == "--mutant" {
		args = append([]string{"--mutant=" + args[1]}, args[2:]...)
	}
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--mutant="); ok {
			for _, m := range mutants {
				if m.name == name {
					os.Args = append(append(os.Args[:1:1], args[:i]...), args[i+1:]...)
					// A package of another mutant may have put flags there.
					flag.CommandLine = flag.NewFlagSet(name, flag.ExitOnError)
					m.main()
					return
				}
			}
			fmt.Fprintf(os.Stderr, "no mutant %%q; --list names them\n", name)
			os.Exit(2)
		}
	}
	fmt.Fprintln(os.Stderr, "usage: mutants --list | --mutant NAME [FLAGS of its controller]")
	os.Exit(2)
}
`
