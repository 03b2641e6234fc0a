package render

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/scenario/dialect"
)

// variable is what is known about a binding or an output.
type variable struct {
	shape shape
	// literal is its value if that is written down, else nil.
	literal *yaml.Node
}

// scope are the variables that an expression can name: those of the test, the step and the
// operation.
type scope struct {
	outer *scope
	own   map[string]variable
}

func (s *scope) inner() *scope { return &scope{outer: s, own: map[string]variable{}} }

// lookup finds a variable by its name without the dollar. An unknown variable comes from
// the runner, or cannot be followed.
func (s *scope) lookup(name string) variable {
	for ; s != nil; s = s.outer {
		if v, ok := s.own[name]; ok {
			return v
		}
	}
	return variable{}
}

// literal returns the value of a scalar if that is written down: the scalar itself, or the
// value of the binding if the scalar only names one. Otherwise it returns nil.
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

// declare records bindings. A binding may name those before it.
func (m *mapper) declare(s *scope, bindings *yaml.Node) {
	for _, binding := range list(bindings) {
		name, value := text(binding, "name"), get(binding, "value")
		if name != "" && !isExpression(name) && !m.isContractConstant(name) {
			s.own[name] = variable{literal: s.literal(value)}
		}
	}
}

// isContractConstant says whether a binding has one of the names that stand for values of
// the profile. It then gets the implementation's value.
func (m *mapper) isContractConstant(name string) bool {
	_, what := m.contractConstant(name)
	return what != ""
}

// variableIn returns the name of the variable, if an expression is only a variable.
func variableIn(n *dialect.Node) (string, bool) {
	name, ok := n.Value.(string)
	if !ok || !isVariable(n) {
		return "", false
	}
	return strings.TrimPrefix(name, "$"), true
}

// define maps bindings or outputs in order, and declares them. Each may name those before
// it.
func (m *mapper) define(n *yaml.Node, s shape, into *scope) error {
	for _, binding := range list(n) {
		name, value := get(binding, "name"), get(binding, "value")
		if name == nil || name.Kind != yaml.ScalarNode || isExpression(name.Value) {
			return m.at(binding, errors.New("a binding needs a name that is not an expression"))
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
