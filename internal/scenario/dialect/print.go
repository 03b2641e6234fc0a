package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// PrintJMESPath writes an expression from which the parser makes the same tree.
func PrintJMESPath(n *Node) string {
	switch n.NodeType {
	case parsing.ASTIdentity:
		return ""
	case parsing.ASTCurrentNode:
		return "@"
	case parsing.ASTField:
		return identifier(n.Value)
	case parsing.ASTVariable:
		return fmt.Sprint(n.Value)
	case parsing.ASTLiteral:
		return literal(n.Value)
	case parsing.ASTIndex:
		return fmt.Sprintf("[%v]", n.Value)
	case parsing.ASTSlice:
		return slice(n.Value)
	case parsing.ASTFunctionExpression:
		return fmt.Sprint(n.Value) + "(" + printList(n.Children) + ")"
	case parsing.ASTMultiSelectList:
		return "[" + printList(n.Children) + "]"
	case parsing.ASTMultiSelectHash:
		return "{" + printList(n.Children) + "}"
	case parsing.ASTKeyValPair:
		return identifier(n.Value) + ": " + PrintJMESPath(&n.Children[0])
	case parsing.ASTExpRef:
		return "&" + PrintJMESPath(&n.Children[0])
	case parsing.ASTNotExpression:
		return "!" + operand(&n.Children[0], isAtom)
	case parsing.ASTArithmeticUnaryExpression:
		return symbols[n.Value.(parsing.TokType)] + operand(&n.Children[0], isAtom)
	case parsing.ASTSubexpression:
		return base(&n.Children[0]) + "." + PrintJMESPath(&n.Children[1])
	case parsing.ASTIndexExpression:
		return bracketed(&n.Children[0]) + PrintJMESPath(&n.Children[1])
	case parsing.ASTFlatten:
		return operand(&n.Children[0], func(n *Node) bool { return isBase(n) || isProjection(n) }) + "[]"
	case parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection:
		return projection(n)
	default:
		return binary(n)
	}
}

// projection writes a projection: what is evaluated on each element.
func projection(n *Node) string {
	left, right := &n.Children[0], &n.Children[1]
	var head string
	switch {
	case n.NodeType == parsing.ASTFilterProjection:
		head = base(left) + "[?" + PrintJMESPath(&n.Children[2]) + "]"
	case n.NodeType == parsing.ASTValueProjection && left.NodeType == parsing.ASTIdentity:
		head = "*"
	case n.NodeType == parsing.ASTValueProjection:
		head = base(left) + ".*"
	case left.NodeType == parsing.ASTFlatten, left.NodeType == parsing.ASTIndexExpression && left.Children[1].NodeType == parsing.ASTSlice:
		head = PrintJMESPath(left)
	default:
		head = bracketed(left) + "[*]"
	}
	tail := PrintJMESPath(right)
	if tail == "" || startsWithBracket(right) {
		return head + tail
	}
	return head + "." + tail
}

// startsWithBracket says whether the text of an expression begins with a bracket. That
// bracket applies to the element itself.
func startsWithBracket(n *Node) bool {
	for len(n.Children) > 0 {
		switch n.NodeType {
		case parsing.ASTFunctionExpression, parsing.ASTMultiSelectList, parsing.ASTMultiSelectHash:
			return false
		}
		n = &n.Children[0]
	}
	return n.NodeType == parsing.ASTIdentity
}

// bracketed writes what comes before a bracket. A bracket binds more strongly than a dot.
func bracketed(n *Node) string {
	return operand(n, func(n *Node) bool { return isBase(n) && n.NodeType != parsing.ASTSubexpression })
}

// base writes what comes before a dot, a filter or [].
func base(n *Node) string { return operand(n, isBase) }

func isBase(n *Node) bool {
	switch n.NodeType {
	case parsing.ASTIdentity, parsing.ASTSubexpression, parsing.ASTIndexExpression:
		return true
	}
	return isAtom(n)
}

func isProjection(n *Node) bool {
	switch n.NodeType {
	case parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection:
		return true
	}
	return false
}

func operand(n *Node, bare func(*Node) bool) string {
	if s := PrintJMESPath(n); !bare(n) {
		return "(" + s + ")"
	} else {
		return s
	}
}

func isAtom(n *Node) bool {
	switch n.NodeType {
	case parsing.ASTField, parsing.ASTVariable, parsing.ASTLiteral, parsing.ASTCurrentNode, parsing.ASTFunctionExpression,
		parsing.ASTMultiSelectList, parsing.ASTMultiSelectHash:
		return true
	}
	return false
}

// power returns how strongly an operator binds, or 0 if the node is not an operator.
func power(n *Node) int {
	switch n.NodeType {
	case parsing.ASTPipe:
		return 1
	case parsing.ASTOrExpression:
		return 2
	case parsing.ASTAndExpression:
		return 3
	case parsing.ASTComparator:
		return 5
	case parsing.ASTArithmeticExpression:
		return 6
	}
	return 0
}

// binary writes an operator between two operands.
func binary(n *Node) string {
	symbol := map[int]string{1: "|", 2: "||", 3: "&&"}[power(n)]
	if symbol == "" {
		symbol = symbols[n.Value.(parsing.TokType)]
	}
	side := func(n *Node, least int) string {
		return operand(n, func(n *Node) bool {
			switch p := power(n); {
			case n.NodeType == parsing.ASTExpRef, n.NodeType == parsing.ASTArithmeticUnaryExpression:
				return false
			case p == 0:
				return true
			case p == 6:
				return least < 6
			default:
				return p >= least
			}
		})
	}
	return side(&n.Children[0], power(n)) + " " + symbol + " " + side(&n.Children[1], power(n)+1)
}

var symbols = map[parsing.TokType]string{
	parsing.TOKPlus: "+", parsing.TOKMinus: "-", parsing.TOKStar: "*", parsing.TOKMultiply: "×", parsing.TOKDivide: "/",
	parsing.TOKModulo: "%", parsing.TOKDiv: "//", parsing.TOKEQ: "==", parsing.TOKNE: "!=", parsing.TOKLT: "<",
	parsing.TOKLTE: "<=", parsing.TOKGT: ">", parsing.TOKGTE: ">=",
}

func printList(nodes []Node) string {
	parts := make([]string, len(nodes))
	for i := range nodes {
		parts[i] = PrintJMESPath(&nodes[i])
		if parts[i] == "*" { // [*] is a projection
			parts[i] = "(*)"
		}
	}
	return strings.Join(parts, ", ")
}

var bareIdentifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func identifier(value any) string {
	name := fmt.Sprint(value)
	if bareIdentifier.MatchString(name) {
		return name
	}
	return Quote(name)
}

// Quote writes a string as JSON, without the escapes that only HTML needs.
func Quote(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // a value that came from JSON can be written as JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// literal writes a value: a string in single quotes, anything else in backticks.
func literal(value any) string {
	s, ok := value.(string)
	if ok && !strings.HasSuffix(s, `\`) {
		return "'" + strings.NewReplacer(`\\`, `\\\\`, `\'`, `\\\'`, `'`, `\'`).Replace(s) + "'"
	}
	return "`" + strings.ReplaceAll(Quote(value), "`", "\\`") + "`"
}

func slice(value any) string {
	parts := value.([]*int)
	var text [3]string
	for i, part := range parts {
		if part != nil {
			text[i] = strconv.Itoa(*part)
		}
	}
	if text[2] == "" {
		return "[" + text[0] + ":" + text[1] + "]"
	}
	return "[" + strings.Join(text[:], ":") + "]"
}
