package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/tools/go/packages"
)

// unused are the declarations of the module in dir that nothing uses, as FILE:LINE:
// NAME.
func unused(dir string, public func(path string) bool) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the module: %w", err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedEmbedFiles, Dir: dir}, "./...")
	if err != nil {
		return nil, fmt.Errorf("loading the packages of %s: %w", dir, err)
	}
	var broken error
	used := map[types.Object]bool{}
	for _, p := range loaded {
		for _, err := range p.Errors {
			broken = errors.Join(broken, fmt.Errorf("loading %s: %w", p.PkgPath, err))
		}
		for _, object := range p.TypesInfo.Uses {
			used[origin(object)] = true
		}
	}
	if broken != nil {
		return nil, broken
	}
	interfaces := interfacesOf(loaded)
	var found []string
	for _, p := range loaded {
		if public(p.PkgPath) {
			continue
		}
		shown, err := inTemplates(p.EmbedFiles)
		if err != nil {
			return nil, err
		}
		generated := map[string]bool{}
		for _, file := range p.Syntax {
			generated[p.Fset.File(file.FileStart).Name()] = ast.IsGenerated(file)
		}
		for _, object := range p.TypesInfo.Defs {
			if object == nil || used[object] || !declared(object) || interfaces.need(object) || isMethod(object) && shown[object.Name()] {
				continue
			}
			position := p.Fset.Position(object.Pos())
			if generated[position.Filename] {
				continue
			}
			name, err := filepath.Rel(dir, position.Filename)
			if err != nil {
				return nil, fmt.Errorf("naming %s: %w", position.Filename, err)
			}
			found = append(found, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(name), position.Line, object.Name()))
		}
	}
	slices.Sort(found)
	return found, nil
}

// inTemplates are the names that a package's embedded HTML templates ask values for.
func inTemplates(files []string) (map[string]bool, error) {
	names := map[string]bool{}
	for _, file := range files {
		if filepath.Ext(file) != ".html" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a template: %w", err)
		}
		for _, match := range asked.FindAllSubmatch(text, -1) {
			names[string(match[1])] = true
		}
	}
	return names, nil
}

var asked = regexp.MustCompile(`\.([A-Z]\w*)`)

func isMethod(object types.Object) bool {
	method, ok := object.(*types.Func)
	return ok && method.Signature().Recv() != nil
}

// declared says whether an object is a declaration of a package that may be unused: not
// a field, not a variable of a function, not what the language calls.
func declared(object types.Object) bool {
	switch object := object.(type) {
	case *types.Func:
		return object.Signature().Recv() != nil || object.Name() != "init" && object.Name() != "main" && object.Name() != "_"
	case *types.Var, *types.Const, *types.TypeName:
		return object.Name() != "_" && object.Pkg() != nil && object.Parent() == object.Pkg().Scope()
	default:
		return false
	}
}

// origin is the declaration of an object, which may be an instance of a generic one.
func origin(object types.Object) types.Object {
	switch object := object.(type) {
	case *types.Func:
		return object.Origin()
	case *types.Var:
		return object.Origin()
	default:
		return object
	}
}
