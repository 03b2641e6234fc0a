package render

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// fillIn puts the literal parameters of a template where the step has only their names, as
// Chainsaw does when it runs the step. The scenario then has values there, which can be
// mapped. Bindings that are no longer used are removed.
func fillIn(step *yaml.Node) {
	bindings := get(step, "bindings")
	if bindings == nil {
		return
	}
	values := map[string]*yaml.Node{} // if a name is bound twice, the last one counts
	for _, binding := range bindings.Content {
		value := get(binding, "value")
		values[text(binding, "name")] = value
		if !isLiteral(value) {
			values[text(binding, "name")] = nil
		}
	}
	for _, key := range operationKeys {
		walk(mapping(str(key), orEmpty(get(step, key))), func(n *yaml.Node) {
			name, isParameter := strings.CutPrefix(strings.TrimSuffix(n.Value, ")"), "($")
			if value := values[name]; n.Kind == yaml.ScalarNode && isParameter && value != nil {
				*n = *clone(value)
			}
		})
	}
	var used strings.Builder
	for _, key := range operationKeys {
		used.WriteString(flat(orEmpty(get(step, key))))
	}
	for _, binding := range bindings.Content {
		used.WriteString(flat(orEmpty(get(binding, "value"))))
	}
	kept := bindings.Content[:0:0]
	for _, binding := range bindings.Content {
		name := text(binding, "name")
		if values[name] == nil || strings.Contains(used.String(), "$"+name) {
			kept = append(kept, binding)
		}
	}
	bindings.Content = kept
	if len(kept) == 0 {
		remove(step, "bindings")
	}
}

// isLiteral says whether a value contains no expression.
func isLiteral(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	literal := true
	eachScalar(n, func(s *yaml.Node) { literal = literal && !isExpression(s.Value) })
	return literal
}

func orEmpty(n *yaml.Node) *yaml.Node {
	if n == nil {
		return mapping()
	}
	return n
}
