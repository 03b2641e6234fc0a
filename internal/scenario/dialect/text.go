package dialect

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// Node is a node of the syntax tree of a JMESPath expression.
type Node = parsing.ASTNode

// Text is a string of a scenario as Chainsaw reads it: plain, or an expression in
// parentheses. If it is a key of a pattern, it may also begin with ~NAME. (it is then
// checked on each element) and end in ->NAME (its value then gets this name).
type Text struct {
	// Plain is the string itself, including backslashes around it, if Expression is nil.
	Plain string
	// Expression in the parentheses, or nil.
	Expression *Node
	// Foreach says that a key applies to each element, or each value.
	Foreach bool
	// Index is the name that a Foreach gives to the number of the element, or empty.
	Index string
	// Binding is the name that the value of a key gets.
	Binding string
}

// The forms of a string, with the patterns that Chainsaw uses.
var (
	foreachForm    = regexp.MustCompile(`^~(\w+)?\.(.*)$`)
	bindingForm    = regexp.MustCompile(`^(.*?)\s*->\s*(\w+)$`)
	escapedForm    = regexp.MustCompile(`^\\(.+)\\$`)
	expressionForm = regexp.MustCompile(`^\((?:(\w+);)?(.+)\)$`)
)

// ParseKey reads a key of a pattern. The error says what is outside of the dialect.
func ParseKey(s string) (Text, error) {
	var t Text
	inner := s
	if match := foreachForm.FindStringSubmatch(inner); match != nil {
		t.Foreach, t.Index, inner = true, match[1], match[2]
	}
	if match := bindingForm.FindStringSubmatch(inner); match != nil {
		t.Binding, inner = match[2], match[1]
	}
	plain, err := ParseValue(inner)
	t.Plain, t.Expression = plain.Plain, plain.Expression
	return t, err
}

// ParseValue reads a string that is not a key. The error says what is outside of the
// dialect.
func ParseValue(s string) (Text, error) {
	if escapedForm.MatchString(s) {
		return Text{Plain: s}, nil
	}
	match := expressionForm.FindStringSubmatch(s)
	switch {
	case match == nil && strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && strings.Contains(s, "\n"):
		return Text{}, errors.New("an expression over several lines, which Chainsaw takes for plain text: write it in one line, or fold it (>-)")
	case match == nil:
		return Text{Plain: s}, nil
	case match[1] != "":
		return Text{}, fmt.Errorf("an expression of %s: write JMESPath, without a prefix", match[1])
	}
	expression, err := ParseJMESPath(match[2])
	if err != nil {
		return Text{}, err
	}
	return Text{Expression: expression}, nil
}

// String writes the text as in a scenario.
func (t Text) String() string {
	var b strings.Builder
	if t.Foreach {
		b.WriteString("~" + t.Index + ".")
	}
	if t.Expression != nil {
		b.WriteString("(" + PrintJMESPath(t.Expression) + ")")
	} else {
		b.WriteString(t.Plain)
	}
	if t.Binding != "" {
		b.WriteString("->" + t.Binding)
	}
	return b.String()
}
