package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/scenario/dialect"
)

// comparison maps a field and what it is compared with.
func (e *evaluation) comparison(n *dialect.Node, on shape) error {
	left, right := &n.Children[0], &n.Children[1]
	if left.NodeType == parsing.ASTLiteral {
		left, right = right, left
	}
	if left.NodeType == parsing.ASTLiteral {
		return nil
	}
	s, err := e.eval(left, on)
	if err != nil {
		return err
	}
	ordered := n.Value != parsing.TOKEQ && n.Value != parsing.TOKNE
	if ordered && e.formatted(s) {
		return e.computesText()
	}
	if right.NodeType == parsing.ASTLiteral {
		e.depends(s)
		return e.literal(right, s)
	}
	if len(s) > 0 && e.variable(right).literal != nil {
		return e.compared(s, right)
	}
	other, err := e.eval(right, on)
	if err != nil {
		return err
	}
	if len(s) > 0 && len(other) > 0 {
		// Two fields that are compared with each other can be compared in any
		// implementation, unless its workload does not have one of them.
		e.bound = append(e.bound, e.lacking(s.and(other))...)
		return nil
	}
	if len(s) == 0 {
		s, right = other, left
	}
	return e.compared(s, right)
}

// compared maps what a field is compared with, if that is not a literal.
func (e *evaluation) compared(s shape, with *dialect.Node) error {
	if len(s) == 0 || with.NodeType == parsing.ASTField { // null
		return nil
	}
	e.depends(s)
	if value := e.variable(with).literal; value != nil {
		translated, err := e.translate(value.Value, s)
		if err == nil && translated != value.Value {
			*with = dialect.Node{NodeType: parsing.ASTLiteral, Value: typed(value, translated)}
		}
		return err
	}
	return e.unknown(s)
}

// unknown handles a field that is compared with an unknown value.
func (m *mapper) unknown(s shape) error {
	for _, o := range s {
		switch means := o.means(); means.sense {
		case showsField:
			if m.formatted(shape{o}) {
				return m.computesText()
			}
			m.values.recordComputed(means.field)
		case namesPhase, namesContainer, namesGroup, namesPlural:
			return fmt.Errorf("%s is compared with a value that is not known here: write it down", describe(o))
		}
		if o.place.holds() {
			return fmt.Errorf("%s is compared as a whole: name its fields", describe(o))
		}
	}
	return nil
}

// literal maps a literal that is compared with a value, or that stands by itself. If the
// literal is a list, it maps each item.
func (e *evaluation) literal(n *dialect.Node, with shape) error {
	value, err := e.literalValue(n.Value, with)
	if text, ok := value.(string); ok && err == nil && text != n.Value && isExpression(text) {
		parsed, err := dialect.ParseValue(text)
		if err != nil {
			return err
		}
		*n = *parsed.Expression
		return nil
	}
	n.Value = value
	return err
}

func (e *evaluation) literalValue(value any, with shape) (any, error) {
	switch v := value.(type) {
	case string:
		return e.translate(v, with)
	case float64:
		text := number(v)
		translated, err := e.translate(text, with)
		if err != nil || translated == text {
			return v, err
		}
		return numberOr(translated), nil
	case []any:
		mapped := make([]any, len(v))
		for i := range v {
			var err error
			if mapped[i], err = e.literalValue(v[i], with); err != nil {
				return nil, err
			}
		}
		return mapped, nil
	case map[string]any:
		if len(with) > 0 && with.holds() {
			return nil, fmt.Errorf("%s is compared as a whole: name its fields", describe(with[0]))
		}
	}
	return value, nil
}

// containment maps contains(LIST, VALUE), starts_with and ends_with.
func (e *evaluation) containment(name string, args []dialect.Node, on shape) error {
	var shapes [2]shape
	for i := range shapes {
		if areLiterals(&args[i]) {
			continue
		}
		s, err := e.eval(&args[i], on)
		if err != nil {
			return err
		}
		shapes[i] = s
	}
	in, value := shapes[0], shapes[1]
	switch {
	case areLiterals(&args[0]) && areLiterals(&args[1]):
		return nil
	case areLiterals(&args[0]):
		e.depends(value)
		return e.eachLiteral(&args[0], value)
	case areLiterals(&args[1]):
		e.depends(in)
		if err := e.partOfText(name, in); err != nil {
			return err
		}
		return e.eachLiteral(&args[1], in)
	case len(in) == 0:
		return e.compared(value, &args[0])
	case len(value) == 0:
		return e.compared(in, &args[1])
	}
	return nil
}

// partOfText refuses to search for a part of a text, because another implementation may
// write the text in another way.
func (e *evaluation) partOfText(name string, in shape) error {
	for _, o := range in {
		sense := o.means().sense
		inList := o.lists > 0 || strings.HasSuffix(o.path, "[]")
		if sense != saysNothing && sense != namesFieldOfPrimary && (name != "contains" || !inList) {
			return fmt.Errorf("%s looks for a part of %s: compare the whole", name, describe(o))
		}
	}
	return nil
}

// areLiterals says whether an expression is a literal or a list of them.
func areLiterals(n *dialect.Node) bool {
	if n.NodeType == parsing.ASTMultiSelectList {
		return !slices.ContainsFunc(n.Children, func(child dialect.Node) bool { return child.NodeType != parsing.ASTLiteral })
	}
	return n.NodeType == parsing.ASTLiteral
}

func (e *evaluation) eachLiteral(n *dialect.Node, with shape) error {
	if n.NodeType == parsing.ASTLiteral {
		return e.literal(n, with)
	}
	for i := range n.Children {
		if err := e.literal(&n.Children[i], with); err != nil {
			return err
		}
	}
	return nil
}

// typed returns a translated value with the type that the original value has.
func typed(value *yaml.Node, translated string) any {
	if value.Tag == "!!int" {
		return numberOr(translated)
	}
	return translated
}

// number writes a JSON number.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// numberOr returns a text as a JSON number if it is one, else the text.
func numberOr(text string) any {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return text
}
