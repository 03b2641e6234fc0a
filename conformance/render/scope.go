package render

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/dialect"
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

// lookup finds a variable by its name without the dollar. What is not known is
// the runner's, or opaque.
func (s *scope) lookup(name string) variable {
	for ; s != nil; s = s.outer {
		if v, ok := s.own[name]; ok {
			return v
		}
	}
	return variable{}
}

// literal is the value of a scalar that is written down: the scalar itself, or
// that of a binding that it names and nothing else. It is nil for any other.
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

// declare takes note of bindings, which may name those before them.
func (s *scope) declare(bindings *yaml.Node) {
	for _, binding := range list(bindings) {
		name, value := text(binding, "name"), get(binding, "value")
		if name != "" && !isExpression(name) {
			s.own[name] = variable{literal: s.literal(value)}
		}
	}
}

// variableIn is the name of a variable that an expression is and nothing else.
func variableIn(n *dialect.Node) (string, bool) {
	name, ok := n.Value.(string)
	if !ok || !isVariable(n) {
		return "", false
	}
	return strings.TrimPrefix(name, "$"), true
}
