package manifest

import (
	"go.yaml.in/yaml/v3"
)

// origin is the place of an object in a file.
type origin struct {
	file string
	// text of the document, and its first line in the file. The line is 0 if the text was
	// rendered from the file, because its lines are different then.
	text []byte
	line int
	// within is the path in the document to an item of a list.
	within []any
}

// find returns the line of a field, or of the nearest one around it, and the text of the
// value. The line is 0 if it is not known.
func (o origin) find(path []any) (line int, text string) {
	var document yaml.Node
	if err := yaml.Unmarshal(o.text, &document); err != nil || len(document.Content) == 0 {
		return o.line, ""
	}
	node := document.Content[0]
	line = node.Line
	for _, step := range append(append([]any{}, o.within...), path...) {
		next, at := stepInto(node, step)
		if next == nil {
			return o.lineOf(line), ""
		}
		node, line = next, at
	}
	if node.Kind == yaml.ScalarNode && node.Style == 0 {
		text = node.Value
	}
	return o.lineOf(line), text
}

// lineOf turns a line of the text into a line of the file.
func (o origin) lineOf(line int) int {
	if o.line == 0 {
		return 0
	}
	return o.line + line - 1
}

func stepInto(node *yaml.Node, step any) (next *yaml.Node, line int) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch step := step.(type) {
	case int:
		if node.Kind == yaml.SequenceNode && step < len(node.Content) {
			return node.Content[step], node.Content[step].Line
		}
	case string:
		for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1], node.Content[i].Line
			}
		}
	}
	return nil, 0
}
