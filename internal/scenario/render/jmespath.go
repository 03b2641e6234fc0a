package render

import (
	"fmt"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"reconform.dev/reconform/internal/scenario/dialect"
)

// evaluation follows what a JMESPath expression does, far enough to know which field of
// which object each part of it is. It maps those parts, in place, in the syntax tree.
type evaluation struct {
	*mapper
	// bound are fields that the implementation does not have, but that the value of the
	// expression depends on, through a child that shows them.
	bound []string
}

// expression maps an expression that is evaluated on a value of this shape. It returns the
// shape of the result. It also returns the fields of children that the value depends on
// and that the implementation does not have; the caller decides what follows from that.
func (m *mapper) expression(n *dialect.Node, on shape) (result shape, absent []string, err error) {
	e := &evaluation{mapper: m}
	if result, err = e.eval(n, on); err != nil {
		return nil, nil, err
	}
	e.depends(result)
	if _, err := dialect.ParseJMESPath(dialect.PrintJMESPath(n)); err != nil {
		return nil, nil, fmt.Errorf("mapped to something that is not an expression: %w", err)
	}
	return result, e.bound, nil
}

// depends records that the result depends on a value.
func (e *evaluation) depends(s shape) {
	e.bound = append(e.bound, e.absent(s)...)
}

func (e *evaluation) eval(n *dialect.Node, on shape) (shape, error) {
	switch n.NodeType {
	case parsing.ASTIdentity, parsing.ASTCurrentNode:
		return on, nil
	case parsing.ASTLiteral:
		return nil, e.literal(n, nil)
	case parsing.ASTVariable:
		known := e.variable(n)
		if known.literal != nil && len(known.shape) == 0 {
			e.values.recordOther(known.literal.Value)
		}
		return known.shape, nil
	case parsing.ASTField:
		return e.field(n, on)
	case parsing.ASTSubexpression:
		left, err := e.eval(&n.Children[0], on)
		if err != nil {
			return nil, err
		}
		right, err := e.eval(&n.Children[1], left)
		*n = dot(n.Children[0], n.Children[1])
		return right, err
	case parsing.ASTPipe:
		left, err := e.eval(&n.Children[0], on)
		if err != nil {
			return nil, err
		}
		return e.eval(&n.Children[1], left)
	case parsing.ASTIndexExpression:
		left, err := e.eval(&n.Children[0], on)
		if n.Children[1].NodeType == parsing.ASTIndex {
			left = left.element()
		}
		return left, err
	case parsing.ASTFlatten:
		left, err := e.eval(&n.Children[0], on)
		return left.flattened(), err
	case parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection:
		return e.projection(n, on)
	case parsing.ASTAndExpression, parsing.ASTOrExpression:
		left, err := e.eval(&n.Children[0], on)
		if err != nil {
			return nil, err
		}
		right, err := e.eval(&n.Children[1], on)
		return left.and(right), err
	case parsing.ASTNotExpression:
		s, err := e.eval(&n.Children[0], on)
		e.depends(s)
		return nil, err
	case parsing.ASTComparator:
		return nil, e.comparison(n, on)
	case parsing.ASTArithmeticExpression, parsing.ASTArithmeticUnaryExpression:
		return nil, e.opaque("arithmetic", n.Children, on)
	case parsing.ASTMultiSelectList:
		var result shape
		for i := range n.Children {
			s, err := e.eval(&n.Children[i], on)
			if err != nil {
				return nil, err
			}
			result = result.and(s.listed())
		}
		return result, nil
	case parsing.ASTMultiSelectHash:
		for i := range n.Children {
			if err := e.opaque("an object made in an expression", n.Children[i].Children, on); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case parsing.ASTFunctionExpression:
		return e.call(n, on)
	}
	return nil, fmt.Errorf("%s is not allowed here", dialect.PrintJMESPath(n))
}

// variable returns what is known about an expression that is a variable.
func (m *mapper) variable(n *dialect.Node) variable {
	name, ok := variableIn(n)
	if !ok {
		return variable{}
	}
	m.variables[name] = true
	return m.scope.lookup(name)
}

// opaque maps the parts of an expression that makes something new from them. In the result
// the fields can no longer be recognised.
func (e *evaluation) opaque(what string, parts []dialect.Node, on shape) error {
	for i := range parts {
		s, err := e.eval(&parts[i], on)
		if err != nil {
			return err
		}
		if err := e.consume(what, s); err != nil {
			return err
		}
	}
	return nil
}

// consume checks a value that is used in a construct whose fields cannot be followed.
func (e *evaluation) consume(what string, s shape) error {
	e.depends(s)
	for _, o := range s {
		if o.place.holds() {
			return fmt.Errorf("%s takes %s as a whole: name its fields", what, describe(o))
		}
		if means := o.means(); means.sense == showsField {
			if _, constant := e.constantOf(means.field); constant {
				return e.skip("it computes with %s, which %s", means.field, e.lacks(means.field))
			}
			if e.formatted(shape{o}) {
				return e.computesText()
			}
			e.values.recordComputed(means.field)
		}
	}
	return nil
}

// call maps a call of a function.
func (e *evaluation) call(n *dialect.Node, on shape) (shape, error) {
	name := fmt.Sprint(n.Value)
	args := n.Children
	switch dialect.Functions[name].Use {
	case dialect.Looks:
		return e.lookUp(name, args, on)
	case dialect.Same:
		var result shape
		for i := range args {
			s, err := e.eval(&args[i], on)
			if err != nil {
				return nil, err
			}
			if name == "to_array" {
				s = s.listed()
			}
			result = result.and(s)
		}
		return result, nil
	case dialect.Tells:
		for i := range args {
			if _, err := e.eval(&args[i], on); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case dialect.Counts:
		for i := range args {
			s, err := e.eval(&args[i], on)
			if err != nil {
				return nil, err
			}
			e.depends(s)
		}
		return nil, nil
	case dialect.Compares:
		return nil, e.containment(name, args, on)
	case dialect.EachOf:
		return e.eachOf(name, args, on)
	}
	return nil, e.opaque(name, args, on)
}

// eachOf maps a function that evaluates an expression on each element.
func (e *evaluation) eachOf(name string, args []dialect.Node, on shape) (shape, error) {
	elements, each := &args[0], &args[1]
	if name == "map" {
		elements, each = each, elements
	}
	if each.NodeType != parsing.ASTExpRef {
		return nil, fmt.Errorf("%s needs an expression that begins with &", name)
	}
	s, err := e.eval(elements, on)
	if err != nil {
		return nil, err
	}
	result, err := e.eval(&each.Children[0], s.element())
	if err != nil {
		return nil, err
	}
	switch name {
	case "map":
		return result.listed(), nil
	case "sort_by":
		e.depends(result)
		return s, nil
	case "group_by":
		return nil, e.consume(name, s.element())
	}
	return s.element(), e.consume(name, result)
}

func isVariable(n *dialect.Node) bool { return n.NodeType == parsing.ASTVariable }
