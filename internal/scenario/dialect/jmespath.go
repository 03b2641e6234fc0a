package dialect

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// ParseJMESPath reads an expression. The error says what is wrong with it, or which part
// of it is outside of the dialect.
func ParseJMESPath(expression string) (node *Node, err error) {
	if !utf8.ValidString(expression) {
		return nil, fmt.Errorf("the expression %q is not UTF-8", expression)
	}
	// The parser reads past the end of some broken expressions.
	defer func() {
		if recover() != nil {
			node, err = nil, fmt.Errorf("the expression %q is incomplete", expression)
		}
	}()
	parsed, err := parsing.NewParser().Parse(expression)
	if err != nil {
		var syntax parsing.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%w at character %d of %s", err, syntax.Offset+1, expression)
		}
		return nil, fmt.Errorf("reading %s: %w", expression, err)
	}
	if err := permitted(&parsed); err != nil {
		return nil, fmt.Errorf("%w in %s", err, expression)
	}
	return &parsed, nil
}

// permitted refuses valid JMESPath that is not in the dialect.
func permitted(n *Node) error {
	switch n.NodeType {
	case parsing.ASTRootNode:
		return errors.New("$ alone is not allowed: give the object a name")
	case parsing.ASTLetExpression, parsing.ASTBindings, parsing.ASTBinding:
		return errors.New("let and = are not allowed: use a binding of the operation")
	case parsing.ASTEmpty:
		return errors.New("an empty part")
	case parsing.ASTFunctionExpression:
		name, _ := n.Value.(string)
		function, known := Functions[name]
		if !known {
			return fmt.Errorf("the function %s is not allowed", name)
		}
		if len(n.Children) < function.Least {
			return fmt.Errorf("%s has %d arguments, and needs %d", name, len(n.Children), function.Least)
		}
	}
	for i := range n.Children {
		if err := permitted(&n.Children[i]); err != nil {
			return err
		}
	}
	return nil
}
