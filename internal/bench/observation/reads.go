package observation

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// paths of fields, by their text.
type paths map[string][]string

// readBy returns the paths of the fields that an expression reads of these variables, such
// as spec.replicas. It leaves out a path that lies within another.
func readBy(expression ast.Expr, variables ...string) [][]string {
	found, objects := paths{}, map[string]bool{}
	for _, name := range variables {
		objects[name] = true
	}
	found.visit(expression, objects)
	var outer [][]string
	for _, text := range slices.Sorted(maps.Keys(found)) {
		path := found[text]
		within := func(p []string) bool { return len(p) < len(path) && slices.Equal(p, path[:len(p)]) }
		if !slices.ContainsFunc(outer, within) {
			outer = append(outer, path)
		}
	}
	return outer
}

// visit adds what an expression reads. objects are the names of the variables that are
// objects.
func (p paths) visit(e ast.Expr, objects map[string]bool) {
	if path, ok := fieldOf(e, objects); ok {
		if len(path) > 0 {
			p[strings.Join(path, ".")] = path
		}
		return
	}
	switch e.Kind() {
	case ast.SelectKind:
		p.visit(e.AsSelect().Operand(), objects)
	case ast.CallKind:
		if e.AsCall().IsMemberFunction() {
			p.visit(e.AsCall().Target(), objects)
		}
		for _, arg := range e.AsCall().Args() {
			p.visit(arg, objects)
		}
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			p.visit(element, objects)
		}
	case ast.ComprehensionKind:
		p.loop(e.AsComprehension(), objects)
	}
}

// loop visits a macro such as exists. If the macro iterates over all, its variable is an
// object.
func (p paths) loop(c ast.ComprehensionExpr, objects map[string]bool) {
	p.visit(c.IterRange(), objects)
	over := c.IterRange()
	objects = maps.Clone(objects)
	objects[c.IterVar()] = over.Kind() == ast.IdentKind && over.AsIdent() == "all"
	for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		p.visit(part, objects)
	}
}

// fieldOf returns the path of a field of an object. The path is empty for the object
// itself. It returns false if the expression is neither.
func fieldOf(e ast.Expr, objects map[string]bool) ([]string, bool) {
	operand, field := e, ""
	switch e.Kind() {
	case ast.IdentKind:
		return nil, objects[e.AsIdent()]
	case ast.SelectKind:
		operand, field = e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		name, args := e.AsCall().FunctionName(), e.AsCall().Args()
		if !slices.Contains([]string{operators.OptSelect, operators.Index, operators.OptIndex}, name) || args[1].Kind() != ast.LiteralKind {
			return nil, false
		}
		key, ok := args[1].AsLiteral().Value().(string)
		if !ok {
			return nil, false
		}
		operand, field = args[0], key
	default:
		return nil, false
	}
	path, ok := fieldOf(operand, objects)
	return append(slices.Clone(path), field), ok
}

// fieldsOf returns the fields of an object at these paths. A missing field is null.
func fieldsOf(object map[string]any, paths [][]string) map[string]any {
	fields := map[string]any{}
	for _, path := range paths {
		value, _, _ := unstructured.NestedFieldNoCopy(object, path...) // nil also after an error
		_ = unstructured.SetNestedField(fields, value, path...)        // no path lies in another
	}
	return fields
}
