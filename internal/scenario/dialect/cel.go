package dialect

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/parser"
	"k8s.io/apiserver/pkg/cel/library"
)

// Rule is a CEL expression: the never, eventually or where of an Observation, or a rule of
// an admission policy.
type Rule struct {
	// Root of the syntax tree. Macros such as exists and has are not expanded in it.
	Root ast.Expr

	info *ast.SourceInfo
}

// Macros are the macros over the elements of a list or the keys of a map, and how many
// arguments each has. The first argument names a variable.
var Macros = map[string]int{"exists": 2, "all": 2, "exists_one": 2, "filter": 2, "map": 2}

// celFunctions are the functions and methods that rules may call, in addition to the
// macros and operators.
var celFunctions = []string{
	"has", "size", "type", "string", "int", "double", "startsWith", "endsWith", "contains", "matches",
	"orValue", "hasValue", "value", "lowerAscii", "split", "join", "distinct",
	// An admission policy may ask for rights: authorizer.group(GROUP).resource(PLURAL)…
	"group", "resource", "subresource", "namespace", "name", "check", "allowed",
}

// celOperators are the operators that rules may use.
var celOperators = []string{
	operators.Conditional, operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Equals,
	operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
	operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
	operators.In, operators.Index, operators.OptIndex, operators.OptSelect,
}

// ParseRule reads a rule with these variables. The error says what is wrong with it, or
// which part of it is outside of the dialect.
func ParseRule(expression string, variables ...string) (*Rule, error) {
	options := []cel.EnvOption{cel.OptionalTypes(), ext.Strings(), ext.Lists(), library.Authz()}
	for _, name := range variables {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	checked, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	if _, issues := checked.Compile(expression); issues.Err() != nil {
		return nil, fmt.Errorf("reading %s: %w", expression, issues.Err())
	}
	// Parse it again without macros: an expanded macro cannot be written back.
	plain, err := cel.NewEnv(append(options, cel.ClearMacros())...)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	parsed, issues := plain.Parse(expression)
	if issues.Err() != nil {
		return nil, fmt.Errorf("reading %s: %w", expression, issues.Err())
	}
	rule := &Rule{Root: parsed.NativeRep().Expr(), info: parsed.NativeRep().SourceInfo()}
	if err := rule.permitted(rule.Root); err != nil {
		return nil, fmt.Errorf("%w in %s", err, expression)
	}
	return rule, nil
}

// String writes the rule as CEL.
func (r *Rule) String() (string, error) {
	text, err := parser.Unparse(r.Root, r.info, parser.WrapOnColumn(math.MaxInt))
	if err != nil {
		return "", fmt.Errorf("writing a rule: %w", err)
	}
	return text, nil
}

// permitted refuses valid CEL that is not in the dialect.
func (r *Rule) permitted(e ast.Expr) error {
	switch e.Kind() {
	case ast.StructKind, ast.ComprehensionKind, ast.UnspecifiedExprKind:
		return errors.New("only fields, literals, operators and calls are allowed")
	case ast.CallKind:
		call := e.AsCall()
		name := call.FunctionName()
		if count, macro := Macros[name]; macro {
			if !call.IsMemberFunction() || len(call.Args()) != count || call.Args()[0].Kind() != ast.IdentKind {
				return fmt.Errorf("%s must be called as LIST.%s(NAME, EXPRESSION)", name, name)
			}
		} else if !slices.Contains(celFunctions, name) && !slices.Contains(celOperators, name) {
			return fmt.Errorf("the function %s is not allowed", name)
		}
	}
	for _, child := range Operands(e) {
		if err := r.permitted(child); err != nil {
			return err
		}
	}
	return nil
}

// Operands returns the direct parts of an expression.
func Operands(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var all []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			all = append(all, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return all
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	}
	return nil
}
