package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	documents "reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// Values of a profile must arrive unchanged, whatever reads them on the way: YAML,
// Chainsaw, the template of a Load, or the environment of a command.

// dollar stands for a dollar sign that comes from a profile, in the body of a kubectl
// patch. There Chainsaw would read the text after a dollar sign as the name of a variable.
const dollar = "\x00dollar\x00"

// given makes a node from a JSON value of the profile. write makes the node of a text.
func given(value any, write func(string) *yaml.Node) *yaml.Node {
	switch v := value.(type) {
	case map[string]any:
		node := mapping()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			node.Content = append(node.Content, documents.Text(key), given(v[key], write))
		}
		return node
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			node.Content = append(node.Content, given(item, write))
		}
		return node
	case string:
		return write(v)
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v, 10)}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: decimal(v)}
	}
}

// decimal returns a number as JSON writes it. The result always has a fraction or an
// exponent: if JSON writes none, ".0" is added.
func decimal(number any) string {
	text, err := json.Marshal(number)
	if err != nil {
		return fmt.Sprint(number) // JSON has no such number
	}
	if !strings.ContainsAny(string(text), ".e") {
		return string(text) + ".0"
	}
	return string(text)
}

// textOf writes a text of the profile for the operation that is being mapped. It replaces
// the placeholder by the name of the primary, and TrialNamespace by the namespace of the
// scenario.
func (m *mapper) textOf(text, name string) *yaml.Node {
	text = strings.ReplaceAll(text, v1alpha1.TrialNamespace, ownNamespace)
	switch {
	case m.kubectl != nil: // JSON within an argument
		text = strings.ReplaceAll(strings.ReplaceAll(text, "$", dollar), ownNamespace, "$NAMESPACE")
		return documents.Text(fill(text, name))
	case m.inLoad:
		text = strings.ReplaceAll(text, "{{", `{{"{{"}}`)
	}
	if strings.Contains(text, ownNamespace) || strings.Contains(text, placeholder) && isExpression(name) {
		return documents.Text(fill(text, name))
	}
	return documents.Text(literally(fill(text, name)))
}

// literally returns a text for an object that Chainsaw writes. If Chainsaw would evaluate
// the text, literally returns an expression whose result is the text.
func literally(text string) string {
	if parsed, err := dialect.ParseValue(text); err == nil && parsed.Expression == nil {
		return text
	}
	return "(" + literal(text) + ")"
}

// literallyIn does the same for a pattern, in which more characters are special.
func literallyIn(text string) string {
	if strings.HasPrefix(text, "~") || strings.HasPrefix(text, `\`) || strings.Contains(text, "->") {
		return "(" + literal(text) + ")"
	}
	return literally(text)
}

// literal returns an expression whose result is the text. The expression is one line, and
// has no backtick inside.
func literal(text string) string {
	return "`" + strings.ReplaceAll(dialect.Quote(text), "`", `\u0060`) + "`"
}
