package catalogue

import (
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// pairs returns the keys and values of a mapping, and nothing for any other node.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// child returns the value of a key, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	for k, v := range pairs(n) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

// list splits the scalar of a key at its commas.
func list(n *yaml.Node, key string) []string {
	var items []string
	for item := range strings.SplitSeq(value(n, key), ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// value returns the scalar of a key, or "".
func value(n *yaml.Node, key string) string {
	if c := child(n, key); c != nil && c.Kind == yaml.ScalarNode {
		return c.Value
	}
	return ""
}
