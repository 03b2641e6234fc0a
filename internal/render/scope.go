package render

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/dialect"
)

// variable is what is known of a binding or an output.
type variable struct {
	shape shape
	// literal is its value where that is written down, nil where it is not.
	literal *yaml.Node
}

// scope are the variables that an expression can name: those of the test, of the
// step and of the operation.
type scope struct {
	outer *scope
	own   map[string]variable
}

func (s *scope) inner() *scope { return &scope{outer: s, own: map[string]variable{}} }

// lookup finds a variable by its name without the dollar. One that is not known comes
// from the runner, or cannot be followed.
func (s *scope) lookup(name string) variable {
	for ; s != nil; s = s.outer {
		if v, ok := s.own[name]; ok {
			return v
		}
	}
	return variable{}
}

// literal is the value of a scalar that is written down: the scalar itself, or, where
// it only names a binding, the binding's value. It is nil for any other.
func (s *scope) literal(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	if !isExpression(n.Value) {
		return n
	}
	text, err := dialect.ParseValue(n.Value)
	if err != nil || text.Expression == nil {
		return nil
	}
	name, ok := variableIn(text.Expression)
	if !ok {
		return nil
	}
	return s.lookup(name).literal
}

// declare records bindings, which may name those before them.
func (m *mapper) declare(s *scope, bindings *yaml.Node) {
	for _, binding := range list(bindings) {
		name, value := text(binding, "name"), get(binding, "value")
		if name != "" && !isExpression(name) && !m.isContractConstant(name) {
			s.own[name] = variable{literal: s.literal(value)}
		}
	}
}

// isContractConstant says whether a binding has one of the fixed names, and gets
// the implementation's value.
func (m *mapper) isContractConstant(name string) bool {
	_, what := m.contractConstant(name)
	return what != ""
}

// variableIn is the name of the variable, for an expression that is only a variable.
func variableIn(n *dialect.Node) (string, bool) {
	name, ok := n.Value.(string)
	if !ok || !isVariable(n) {
		return "", false
	}
	return strings.TrimPrefix(name, "$"), true
}

// define maps bindings or outputs, each with those before it, and declares them.
func (m *mapper) define(n *yaml.Node, s shape, into *scope) error {
	for _, binding := range list(n) {
		name, value := get(binding, "name"), get(binding, "value")
		if name == nil || name.Kind != yaml.ScalarNode || isExpression(name.Value) {
			return m.at(binding, errors.New("a binding needs a name that is no expression"))
		}
		declared := variable{literal: m.scope.literal(value)}
		if m.isContractConstant(name.Value) {
			declared.literal = nil // it gets the implementation's value
		}
		if value != nil && value.Kind == yaml.ScalarNode && isExpression(value.Value) {
			text, err := dialect.ParseValue(value.Value)
			if err != nil {
				return m.at(value, err)
			}
			before := text.String()
			result, absent, err := m.expression(text.Expression, s)
			if err != nil {
				return m.at(value, err)
			}
			if len(absent) > 0 {
				return m.skip("it needs what a child shows of %s, which %s", absent[0], m.lacks(absent[0]))
			}
			if after := text.String(); after != before {
				value.SetString(after)
			}
			declared.shape = result
		} else if value != nil && value.Kind == yaml.ScalarNode {
			value.Value = m.qualified(value.Value)
		} else if err := (&tree{mapper: m}).node(value, nil); err != nil {
			return err
		}
		into.own[name.Value] = declared
	}
	return nil
}
