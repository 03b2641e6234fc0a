package main

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// interfaces are those that a type may implement, by the names of their methods.
type interfaces map[string][]candidate

// candidate is an interface. A generic interface counts as implemented by a type with
// methods of these names.
type candidate struct {
	*types.Interface
	generic bool
}

// interfacesOf finds the interfaces that packages declare or import.
func interfacesOf(loaded []*packages.Package) interfaces {
	all := interfaces{}
	all.add(types.Universe.Lookup("error").Type())
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			if declared, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
				all.add(declared.Type())
			}
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	for _, p := range loaded {
		visit(p.Types)
		for expression, value := range p.TypesInfo.Types {
			if _, ok := expression.(*ast.InterfaceType); ok {
				all.add(value.Type)
			}
		}
	}
	return all
}

func (all interfaces) add(t types.Type) {
	found, ok := t.Underlying().(*types.Interface)
	if !ok {
		return
	}
	named, ok := t.(*types.Named)
	generic := ok && named.TypeParams().Len() > 0
	for method := range found.Methods() {
		all[method.Name()] = append(all[method.Name()], candidate{found, generic})
	}
}

func (c candidate) implementedBy(t types.Type) bool {
	pointer := types.NewPointer(t)
	if !c.generic {
		return types.Implements(t, c.Interface) || types.Implements(pointer, c.Interface)
	}
	methods := types.NewMethodSet(pointer)
	for method := range c.Methods() {
		if methods.Lookup(method.Pkg(), method.Name()) == nil {
			return false
		}
	}
	return true
}

// need says whether an object is a method by which its type implements an interface.
func (all interfaces) need(object types.Object) bool {
	method, ok := object.(*types.Func)
	if !ok || method.Signature().Recv() == nil {
		return false
	}
	switch method.Name() {
	case "Unwrap", "Is", "As":
		return true // the interfaces that package errors looks for have no name
	}
	receiver := method.Signature().Recv().Type()
	if pointer, ok := receiver.(*types.Pointer); ok {
		receiver = pointer.Elem()
	}
	if named, ok := receiver.(*types.Named); ok && named.TypeParams().Len() > 0 {
		return len(all[method.Name()]) > 0 // of a generic type: by name
	}
	return slices.ContainsFunc(all[method.Name()], func(c candidate) bool { return c.implementedBy(receiver) })
}
