package render

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Scenarios are kept as YAML nodes, so that the rendered file keeps the order and the
// comments.

// get returns the value of a key, or nil.
func get(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// at follows keys down. It returns nil if one is missing.
func at(m *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		m = get(m, key)
	}
	return m
}

// text returns the scalar under these keys, or "".
func text(m *yaml.Node, keys ...string) string {
	if n := at(m, keys...); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// set gives a key a value. A new key goes to the end.
func set(m *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content[i+1] = value
			return
		}
	}
	m.Content = append(m.Content, str(key), value)
}

// remove removes a key and returns its value, or nil.
func remove(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			value := m.Content[i+1]
			m.Content = slices.Delete(m.Content, i, i+2)
			return value
		}
	}
	return nil
}

// relocate moves keys of a mapping to paths below it. Each path starts where the key was,
// unless the first part of the path already exists. All keys are taken out first, so that
// a field can move to the old place of another field.
func relocate(m *yaml.Node, moves map[string][]string) {
	if m == nil || m.Kind != yaml.MappingNode {
		return
	}
	type moved struct {
		key   string
		value *yaml.Node
	}
	var later []moved
	content := m.Content
	m.Content = nil
	for i := 0; i+1 < len(content); i += 2 {
		key, value := content[i], content[i+1]
		path, moves := moves[key.Value]
		switch {
		case !moves:
			m.Content = append(m.Content, key, value)
		case get(m, path[0]) == nil && !hasKey(content, path[0], key):
			for _, k := range slices.Backward(path[1:]) {
				value = mapping(str(k), value)
			}
			key.Value = path[0]
			m.Content = append(m.Content, key, value)
		default:
			later = append(later, moved{key.Value, value})
		}
	}
	for _, l := range later {
		put(m, moves[l.key], l.value)
	}
}

// hasKey says whether a mapping's content has a key, not counting one of its own key
// nodes.
func hasKey(content []*yaml.Node, key string, beside *yaml.Node) bool {
	for i := 0; i < len(content); i += 2 {
		if content[i] != beside && content[i].Value == key {
			return true
		}
	}
	return false
}

// put sets a value at a path below a mapping.
func put(m *yaml.Node, path []string, value *yaml.Node) {
	for _, key := range path[:len(path)-1] {
		next := get(m, key)
		if next == nil || next.Kind != yaml.MappingNode {
			next = mapping()
			set(m, key, next)
		}
		m = next
	}
	set(m, path[len(path)-1], value)
}

func str(value string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(value)
	return n
}

func mapping(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: content}
}

// encode makes a node from a Go value.
func encode(value any) (*yaml.Node, error) {
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding %v: %w", value, err)
	}
	return n, nil
}

// clone copies a node and everything below it.
func clone(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// eachScalar calls f for every scalar, including keys.
func eachScalar(n *yaml.Node, f func(*yaml.Node)) {
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode {
		f(n)
	}
	for _, child := range n.Content {
		eachScalar(child, f)
	}
}

// flat returns all scalars of a node in one string, for searching.
func flat(n *yaml.Node) string {
	var b strings.Builder
	eachScalar(n, func(s *yaml.Node) { b.WriteString(s.Value); b.WriteByte('\n') })
	return b.String()
}

// isExpression says whether Chainsaw evaluates a string.
func isExpression(s string) bool {
	return strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")")
}
