package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a YAML file of one document, with the line of each value.
type Document struct {
	// File that the document was read from.
	File string
	// Object is the document as JSON types: map[string]any, []any, string,
	// int64, float64, bool and nil.
	Object map[string]any

	root *yaml.Node
}

// maxDepth limits the nesting of a document. People write much flatter ones.
const maxDepth = 64

// Parse reads a document strictly: one mapping, string keys, no key twice, no aliases. kind
// is what the file should contain.
func Parse(file, kind string, data []byte) (*Document, Problems) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var documents []yaml.Node // without those that have nothing, as behind a last ---
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, Problems{syntaxProblem(file, err)}
		}
		if content := node.Content[0]; content.ShortTag() != "!!null" || content.Value != "" {
			documents = append(documents, node)
		}
	}
	switch {
	case len(documents) == 0:
		return nil, Problems{{File: file, Message: "the file is empty: it should hold one " + kind}}
	case len(documents) > 1:
		return nil, Problems{{File: file, Line: documents[1].Line, Message: "a second document: a file holds one " + kind}}
	}
	node := documents[0]
	root := node.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, Problems{{File: file, Line: root.Line, Message: "not a mapping: the file should hold one " + kind}}
	}
	c := converter{file: file}
	object := c.value(root, "", 0)
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return &Document{File: file, Object: object.(map[string]any), root: root}, nil
}

var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxProblem finds the line in an error of the YAML parser.
func syntaxProblem(file string, err error) Problem {
	p := Problem{File: file, Message: NotYAML(err.Error())}
	if m := syntaxLine.FindStringSubmatch(err.Error()); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Message = NotYAML(m[2])
	}
	if strings.Contains(p.Message, "incompatible YAML document") {
		p.Message += ": remove the line that begins with %YAML"
	}
	return p
}

var keyTwice = regexp.MustCompile(`^key (".*") already set in map$`)

// NotYAML is the message for what the YAML parser said of a text, with what to write where
// its words do not tell.
func NotYAML(said string) string {
	if m := keyTwice.FindStringSubmatch(said); m != nil {
		return "key " + m[1] + " is given twice"
	}
	message := "not YAML: " + said
	switch {
	case strings.Contains(said, "tab character"):
		message += ": indent with blanks, not with tabs"
	case strings.Contains(said, "cannot start any token"):
		message += ": indent with blanks, not with tabs, and put quotes around a value that begins with @, % or `"
	}
	return message
}

// converter turns YAML nodes into JSON types.
type converter struct {
	file     string
	problems Problems
}

func (c *converter) add(node *yaml.Node, field, format string, args ...any) {
	c.problems = append(c.problems, Problem{File: c.file, Line: node.Line, Field: field, Message: fmt.Sprintf(format, args...)})
}

func (c *converter) value(node *yaml.Node, field string, depth int) any {
	if depth > maxDepth {
		c.add(node, field, "nested more than %d levels deep", maxDepth)
		return nil
	}
	if tag := node.ShortTag(); node.Kind != yaml.ScalarNode && node.Kind != yaml.AliasNode && tag != "!!map" && tag != "!!seq" {
		c.add(node, field, "tag %s is not allowed: leave it out", tag)
		return nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		return c.mapping(node, field, depth)
	case yaml.SequenceNode:
		items := make([]any, 0, len(node.Content))
		for i, item := range node.Content {
			items = append(items, c.value(item, fmt.Sprintf("%s[%d]", field, i), depth+1))
		}
		return items
	case yaml.ScalarNode:
		return c.scalar(node, field)
	default:
		c.add(node, field, "an alias: write the value out")
		return nil
	}
}

func (c *converter) mapping(node *yaml.Node, field string, depth int) any {
	object := make(map[string]any, len(node.Content)/2)
	lines := make(map[string]int, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		child := join(field, key.Value)
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			c.add(key, child, "a key must be a string: put it in quotes")
			continue
		}
		if first, twice := lines[key.Value]; twice {
			c.add(key, child, "given twice, first on line %d", first)
			continue
		}
		lines[key.Value] = key.Line
		object[key.Value] = c.value(value, child, depth+1)
	}
	return object
}

func (c *converter) scalar(node *yaml.Node, field string) any {
	switch tag := node.ShortTag(); tag {
	case "!!str", "!!timestamp":
		return node.Value
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		var value any
		if err := node.Decode(&value); err != nil {
			c.add(node, field, "%v", err)
			return nil
		}
		switch v := value.(type) {
		case int:
			return int64(v)
		case uint64:
			return float64(v)
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				c.add(node, field, "%s is not a number that JSON knows", node.Value)
				return nil
			}
		}
		return value
	default:
		c.add(node, field, "tag %s is not allowed: strings, numbers, true and false are", tag)
		return nil
	}
}

func join(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

// CheckKind checks that the document is of this kind. A document of another kind would
// break every other rule.
func (d *Document) CheckKind(apiVersion, kind string) Problems {
	for _, must := range []struct{ field, be string }{{"apiVersion", apiVersion}, {"kind", kind}} {
		switch got, given := d.Object[must.field]; {
		case !given:
			return Problems{d.Problem(must.field, "is required: it must be %s", must.be)}
		case got != must.be:
			return Problems{d.Problem(must.field, "is %s; it must be %s", shown(got), must.be)}
		}
	}
	return nil
}

// Problem returns a problem with a field.
func (d *Document) Problem(field, format string, args ...any) Problem {
	return Problem{File: d.File, Line: d.line(field), Field: field, Message: fmt.Sprintf(format, args...)}
}

// shown is a text as it is, and any other value in words.
func shown(value any) string {
	if text, ok := value.(string); ok && text != "" {
		return text
	}
	return Describe(value)
}

// Rename gives the last key of a field another name, so that what is in it is looked at as
// if it had been called so. It does nothing if the mapping has that name already.
func (d *Document) Rename(field, name string) (renamed bool) {
	parent, node, rest := (*yaml.Node)(nil), d.root, field
	var key *yaml.Node
	for rest != "" && node != nil {
		parent = node
		node, key, rest = step(node, rest)
	}
	if node == nil || key == nil {
		return false
	}
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if parent.Content[i].Value == name {
			return false
		}
	}
	key.Value = name
	d.Object = (&converter{}).value(d.root, "", 0).(map[string]any)
	return true
}

// find returns the value of a field, or nil if it is missing.
func (d *Document) find(field string) *yaml.Node {
	node := d.root
	for field != "" && node != nil {
		node, _, field = step(node, field)
	}
	return node
}

// line returns the line of a field such as spec.launch.command[0]. If the field is missing,
// it returns the line of the nearest field around it. Keys with dots are found, too.
func (d *Document) line(field string) int {
	node, line := d.root, d.root.Line
	for field != "" {
		next, key, rest := step(node, field)
		if next == nil {
			return line
		}
		node, field = next, rest
		line = node.Line
		if key != nil {
			line = key.Line
		}
	}
	return line
}

// step goes one step down: an index, or the longest key that the field starts with.
func step(node *yaml.Node, field string) (next, key *yaml.Node, rest string) {
	if strings.HasPrefix(field, "[") {
		index, after, _ := strings.Cut(field[1:], "]")
		if i, err := strconv.Atoi(index); err == nil && node.Kind == yaml.SequenceNode && i >= 0 && i < len(node.Content) {
			return node.Content[i], nil, strings.TrimPrefix(after, ".")
		}
		// A map's key may be in brackets, too.
		field = index + after
	}
	if node.Kind != yaml.MappingNode {
		return nil, nil, ""
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		after, found := strings.CutPrefix(field, node.Content[i].Value)
		boundary := after == "" || after[0] == '.' || after[0] == '['
		if found && boundary && node.Content[i].Value != "" && (next == nil || len(after) < len(rest)) {
			next, key, rest = node.Content[i+1], node.Content[i], after
		}
	}
	return next, key, strings.TrimPrefix(rest, ".")
}
