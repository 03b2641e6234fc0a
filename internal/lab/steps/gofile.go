package steps

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goFile formats a Go source and removes the imports that it no longer uses.
func goFile(name, text string) (string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	used := usedPackages(file)
	lines := strings.Split(text, "\n")
	var unused []int
	for _, spec := range file.Imports {
		name, err := importName(spec)
		if err != nil {
			return "", err
		}
		if !used[name] {
			unused = append(unused, files.Position(spec.Pos()).Line-1)
		}
	}
	slices.Reverse(unused)
	for _, n := range unused {
		lines = slices.Delete(lines, n, n+1)
	}
	formatted, err := format.Source([]byte(shortImports(tidy(lines))))
	if err != nil {
		return "", fmt.Errorf("formatting %s: %w", name, err)
	}
	return string(formatted), nil
}

// usedPackages returns the names before a dot that the file does not declare.
func usedPackages(file *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok {
				used[name.Name] = true
			}
		}
		return true
	})
	return used
}

// importName returns the name with which a file refers to a package. If the import gives
// none, that is, in this source, the last element of its path.
func importName(spec *ast.ImportSpec) (string, error) {
	if spec.Name != nil {
		return spec.Name.Name, nil
	}
	whole, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", fmt.Errorf("reading an import: %w", err)
	}
	return path.Base(whole), nil
}

var (
	noImport  = regexp.MustCompile(`\nimport \(\n*\)\n`)
	oneImport = regexp.MustCompile(`\nimport \(\n\t([^\n]+)\n\)\n`)
)

// shortImports writes an empty import, or one with a single package, as people write it by
// hand.
func shortImports(text string) string {
	text = noImport.ReplaceAllString(text, "\n")
	return oneImport.ReplaceAllString(text, "\nimport $1\n")
}
