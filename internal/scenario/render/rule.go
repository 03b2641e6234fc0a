package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// rule maps a CEL rule in place. The variables are objects of these shapes.
func (m *mapper) rule(n *yaml.Node, variables map[string]shape) error {
	names := make([]string, 0, len(variables))
	for name := range variables {
		names = append(names, name)
	}
	slices.Sort(names)
	rule, err := dialect.ParseRule(n.Value, names...)
	if err != nil {
		return err
	}
	before, err := rule.String()
	if err != nil {
		return err
	}
	e := &ruleEvaluation{mapper: m, make: ast.NewExprFactory(), asks: strings.Contains(n.Value, "has(claims."), asksOwnership: strings.Contains(n.Value, "claims.ownership")}
	if _, err := e.eval(rule.Root, variables); err != nil {
		return err
	}
	after, err := rule.String()
	if err != nil {
		return err
	}
	if after == before {
		return nil // as it was written
	}
	if _, err := dialect.ParseRule(after, names...); err != nil {
		return fmt.Errorf("mapped to %s: %w", after, err)
	}
	n.SetString(after)
	return nil
}

// ruleEvaluation follows what a rule does, as evaluation does for JMESPath.
type ruleEvaluation struct {
	*mapper
	make ast.ExprFactory
	// asks is true if the rule itself asks whether something is claimed.
	asks bool
	// asksOwnership is true if the rule asks how children are recognised.
	asksOwnership bool
}

func (e *ruleEvaluation) eval(n ast.Expr, variables map[string]shape) (shape, error) {
	switch n.Kind() {
	case ast.IdentKind:
		return variables[n.AsIdent()], nil
	case ast.LiteralKind:
		return nil, e.literal(n, nil)
	case ast.SelectKind:
		if err := e.claimed(n); err != nil {
			return nil, err
		}
		selected := n.AsSelect()
		operand, err := e.eval(selected.Operand(), variables)
		if err != nil {
			return nil, err
		}
		return operand.field(selected.FieldName()), e.move(n, selected.Operand(), operand, selected.FieldName())
	case ast.ListKind, ast.MapKind:
		var result shape
		for _, part := range dialect.Operands(n) {
			s, err := e.eval(part, variables)
			if err == nil && n.Kind() == ast.MapKind {
				err = e.consume("an object made in a rule", s)
			}
			if err != nil {
				return nil, err
			}
			result = result.and(s.listed())
		}
		return result, nil
	case ast.CallKind:
		return e.call(n, variables)
	}
	return nil, errors.New("only fields, literals, operators and calls are allowed")
}

// move replaces a field by the path that the implementation has for it.
func (e *ruleEvaluation) move(n, operand ast.Expr, of shape, field string) error {
	optional := isOptional(n)
	if e.readiness() != nil && field == "phase" && of.isStatus() {
		return e.readyRule(n, operand)
	}
	path, err := e.fieldOf(of, field)
	if err != nil || slices.Equal(path, []string{field}) {
		return err
	}
	for i, step := range path {
		next := n
		if i < len(path)-1 {
			next = e.make.NewUnspecifiedExpr(n.ID())
		}
		first := e.make.NewLiteral(n.ID(), types.Int(0))
		if step == profile.First && optional {
			next.SetKindCase(e.make.NewCall(n.ID(), operators.OptIndex, operand, first))
		} else if step == profile.First {
			next.SetKindCase(e.make.NewCall(n.ID(), operators.Index, operand, first))
		} else if optional {
			next.SetKindCase(e.make.NewCall(n.ID(), operators.OptSelect, operand, e.make.NewLiteral(n.ID(), types.String(step))))
		} else {
			next.SetKindCase(e.make.NewSelect(n.ID(), operand, step))
		}
		operand = next
	}
	return nil
}

func (e *ruleEvaluation) call(n ast.Expr, variables map[string]shape) (shape, error) {
	call := n.AsCall()
	name, args := call.FunctionName(), call.Args()
	if _, macro := dialect.Macros[name]; macro {
		return e.macro(call, variables)
	}
	switch name {
	case "has":
		return nil, e.has(n, variables)
	case operators.OptSelect, operators.Index, operators.OptIndex:
		return e.lookInto(n, variables)
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		ordered := name != operators.Equals && name != operators.NotEquals
		return nil, e.comparison(args[0], args[1], ordered, variables)
	case operators.In:
		return nil, e.containment(args[1], args[0], variables)
	case operators.Conditional:
		if _, err := e.eval(args[0], variables); err != nil {
			return nil, err
		}
		yes, err := e.eval(args[1], variables)
		if err != nil {
			return nil, err
		}
		no, err := e.eval(args[2], variables)
		return yes.and(no), err
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, "size", "type", "hasValue":
		for _, part := range dialect.Operands(n) {
			s, err := e.eval(part, variables)
			if err == nil {
				err = e.depends(s)
			}
			if err != nil {
				return nil, err
			}
		}
		return nil, nil
	case "resource": // authorizer.group(GROUP).resource(PLURAL)
		for _, plural := range args {
			if err := e.literal(plural, object(kindRole).field("rules").element().field("resources").element()); err != nil {
				return nil, err
			}
		}
		_, err := e.eval(call.Target(), variables)
		return nil, err
	case "string", "int", "double", "value", "orValue":
		parts := dialect.Operands(n)
		s, err := e.eval(parts[0], variables)
		if err != nil {
			return nil, err
		}
		for _, other := range parts[1:] {
			if _, err := e.eval(other, variables); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	for _, part := range dialect.Operands(n) {
		s, err := e.eval(part, variables)
		if err == nil {
			err = e.consume(name, s)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// macro maps a macro over the elements of a list or the keys of a map.
func (e *ruleEvaluation) macro(call ast.CallExpr, variables map[string]shape) (shape, error) {
	over, err := e.eval(call.Target(), variables)
	if err != nil {
		return nil, err
	}
	element := over.element()
	if over.holds() && !over.isList() { // an object: the variable is the name of a field
		if _, err := e.anyField(over); err != nil {
			return nil, err
		}
		element = nil
	}
	inner := map[string]shape{}
	for name, s := range variables {
		inner[name] = s
	}
	inner[call.Args()[0].AsIdent()] = element
	body, err := e.eval(call.Args()[1], inner)
	if err != nil {
		return nil, err
	}
	switch call.FunctionName() {
	case "map":
		return body.listed(), nil
	case "filter":
		return over, e.depends(body)
	}
	return nil, e.depends(body)
}

// has maps has(FIELD). A field that lies deeper in the implementation is also missing if
// an object around it is missing.
func (e *ruleEvaluation) has(n ast.Expr, variables map[string]shape) error {
	arg := n.AsCall().Args()[0]
	if arg.Kind() != ast.SelectKind {
		return errors.New("has needs a field, as in has(new.status)")
	}
	selected := arg.AsSelect()
	operand, err := e.eval(selected.Operand(), variables)
	if err != nil {
		return err
	}
	if err := e.depends(operand.field(selected.FieldName())); err != nil {
		return err
	}
	path, err := e.fieldOf(operand, selected.FieldName())
	if err != nil {
		return err
	}
	var all ast.Expr
	at := selected.Operand()
	for _, step := range path {
		var asked ast.Expr
		if step == profile.First {
			size := e.make.NewCall(n.ID(), "size", e.make.CopyExpr(at))
			asked = e.make.NewCall(n.ID(), operators.Greater, size, e.make.NewLiteral(n.ID(), types.Int(0)))
			at = e.make.NewCall(n.ID(), operators.Index, at, e.make.NewLiteral(n.ID(), types.Int(0)))
		} else {
			at = e.make.NewSelect(n.ID(), at, step)
			asked = e.make.NewCall(n.ID(), "has", e.make.CopyExpr(at))
		}
		if all == nil {
			all = asked
		} else {
			all = e.make.NewCall(n.ID(), operators.LogicalAnd, all, asked)
		}
	}
	n.SetKindCase(all)
	return nil
}

// isOptional tells whether a selection is OBJECT.?FIELD, and not OBJECT.FIELD.
func isOptional(selection ast.Expr) bool { return selection.Kind() == ast.CallKind }

// lookInto maps OBJECT.?FIELD, OBJECT[KEY] and OBJECT[?KEY].
func (e *ruleEvaluation) lookInto(n ast.Expr, variables map[string]shape) (shape, error) {
	call := n.AsCall()
	operand, key := call.Args()[0], call.Args()[1]
	s, err := e.eval(operand, variables)
	if err != nil {
		return nil, err
	}
	name, named := types.String(""), false
	if key.Kind() == ast.LiteralKind {
		name, named = key.AsLiteral().(types.String)
	}
	if named {
		if call.FunctionName() == operators.OptSelect {
			return s.field(string(name)), e.move(n, operand, s, string(name))
		}
		path, err := e.fieldOf(s, string(name))
		if err == nil && !slices.Equal(path, []string{string(name)}) {
			err = fmt.Errorf("[%q] of %s: write .%s", name, describe(s[0]), name)
		}
		return s.field(string(name)), err
	}
	if key.Kind() != ast.LiteralKind {
		if _, err := e.eval(key, variables); err != nil {
			return nil, err
		}
	}
	if s.holds() && !s.isList() {
		return e.anyField(s)
	}
	return s.element(), nil
}
