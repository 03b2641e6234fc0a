package catalogue

import (
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// pairs are the keys and values of a mapping; none of anything else.
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

// child is the value of a key, nil where there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	for k, v := range pairs(n) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

// list is the scalar of a key as a list that is joined by commas.
func list(n *yaml.Node, key string) []string {
	var items []string
	for item := range strings.SplitSeq(value(n, key), ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// value is the scalar of a key, empty where there is none.
func value(n *yaml.Node, key string) string {
	if c := child(n, key); c != nil && c.Kind == yaml.ScalarNode {
		return c.Value
	}
	return ""
}
