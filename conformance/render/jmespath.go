package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"reconform.dev/reconform/conformance/dialect"
)

// evaluation follows what a JMESPath expression does, as far as to know which
// field of which object each part of it is, and maps those parts. It works on
// the tree in place.
type evaluation struct {
	*mapper
	// bound are the fields that the implementation does not have and that the
	// value of the expression depends on, through a child that shows them.
	bound []string
}

// expression maps an expression that is evaluated on a value of this shape, and
// says what comes out of it. Fields of children that the value depends on and
// that the implementation does not have are returned: what becomes of that is
// the caller's business.
func (m *mapper) expression(n *dialect.Node, on shape) (result shape, absent []string, err error) {
	e := &evaluation{mapper: m}
	if result, err = e.eval(n, on); err != nil {
		return nil, nil, err
	}
	e.depends(result)
	if _, err := dialect.ParseJMESPath(dialect.PrintJMESPath(n)); err != nil {
		return nil, nil, fmt.Errorf("mapped to what is no expression: %w", err)
	}
	return result, e.bound, nil
}

// depends takes note that the outcome depends on a value.
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
		name, _ := variableIn(n)
		e.variables[name] = true
		return e.scope.lookup(name).shape, nil
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

// field maps a field of a value, which may lie deeper in the implementation.
func (e *evaluation) field(n *dialect.Node, on shape) (shape, error) {
	name := fmt.Sprint(n.Value)
	if name == "null" { // no word of JMESPath, but a field that nothing has
		return nil, nil
	}
	path, err := e.fieldOf(on, name)
	if err != nil {
		return nil, err
	}
	chain := dialect.Node{NodeType: parsing.ASTField, Value: path[0]}
	for _, step := range path[1:] {
		chain = dialect.Node{NodeType: parsing.ASTSubexpression, Children: []dialect.Node{chain, {NodeType: parsing.ASTField, Value: step}}}
	}
	*n = chain
	return on.field(name), nil
}

// fieldOf is where a field of a value is in the implementation.
func (m *mapper) fieldOf(s shape, name string) ([]string, error) {
	stays := []string{name}
	result := stays
	for i, o := range s {
		path := stays
		if o.kind == kindPrimary && o.lists == 0 {
			moved, known, err := m.moved(o.path, name)
			if err != nil {
				return nil, err
			}
			if known {
				path = moved
			}
		}
		if i > 0 && !slices.Equal(path, result) {
			return nil, fmt.Errorf("%s may be of %s or of %s, which differ: use two expressions", name, describe(s[0]), describe(o))
		}
		result = path
	}
	return result, nil
}

// dot joins two expressions as the parser does: the first steps first.
func dot(left, right dialect.Node) dialect.Node {
	first, rest := firstSteps(right)
	for _, step := range append(first, rest) {
		left = dialect.Node{NodeType: parsing.ASTSubexpression, Children: []dialect.Node{left, step}}
	}
	return left
}

// afterDot is an expression as it can stand after a dot.
func afterDot(n dialect.Node) dialect.Node {
	first, rest := firstSteps(n)
	if len(first) == 0 {
		return rest
	}
	for _, step := range first[1:] {
		first[0] = dialect.Node{NodeType: parsing.ASTSubexpression, Children: []dialect.Node{first[0], step}}
	}
	return dialect.Node{NodeType: parsing.ASTSubexpression, Children: []dialect.Node{first[0], rest}}
}

// firstSteps takes an expression apart that begins with a field which has become
// several: the fields before the last, and all the rest.
func firstSteps(n dialect.Node) (first []dialect.Node, rest dialect.Node) {
	switch n.NodeType {
	case parsing.ASTSubexpression:
		first, rest := firstSteps(n.Children[0])
		return append(first, rest), n.Children[1]
	case parsing.ASTIndexExpression, parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection, parsing.ASTFlatten:
		first, rest := firstSteps(n.Children[0])
		n.Children = append([]dialect.Node{rest}, n.Children[1:]...)
		return first, n
	}
	return nil, n
}

// projection maps what is done for each element.
func (e *evaluation) projection(n *dialect.Node, on shape) (shape, error) {
	left, err := e.eval(&n.Children[0], on)
	if err != nil {
		return nil, err
	}
	element := left.element()
	if n.NodeType == parsing.ASTValueProjection {
		if element, err = e.anyField(left); err != nil {
			return nil, err
		}
	}
	if n.NodeType == parsing.ASTFilterProjection {
		condition, err := e.eval(&n.Children[2], element)
		if err != nil {
			return nil, err
		}
		e.depends(condition)
	}
	right, err := e.eval(&n.Children[1], element)
	n.Children[1] = afterDot(n.Children[1])
	return right.listed(), err
}

// anyField is the shape of the values of all fields. Of the objects of the
// contract only the status of a primary may be searched so: what is looked for
// there has no fixed place.
func (m *mapper) anyField(s shape) (shape, error) {
	for _, o := range s {
		if o.place.holds() && o.place != (place{kindPrimary, "status"}) {
			return nil, fmt.Errorf("all fields of %s: name the field", describe(o))
		}
	}
	return s.field("*"), nil
}

// comparison maps what is compared with a field.
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
	if right.NodeType == parsing.ASTLiteral {
		e.depends(s)
		return e.literal(right, s)
	}
	other, err := e.eval(right, on)
	if err != nil {
		return err
	}
	if len(s) > 0 && len(other) > 0 {
		return nil // fields compared with each other are so in any implementation
	}
	if len(s) == 0 {
		s, left, right = other, right, left
	}
	return e.compared(s, right)
}

// compared maps what a field is compared with where that is no literal.
func (e *evaluation) compared(s shape, with *dialect.Node) error {
	if len(s) == 0 || with.NodeType == parsing.ASTField { // null
		return nil
	}
	e.depends(s)
	if name, ok := variableIn(with); ok {
		if value := e.scope.lookup(name).literal; value != nil {
			translated, err := e.translate(value.Value, s)
			if err == nil && translated != value.Value {
				*with = dialect.Node{NodeType: parsing.ASTLiteral, Value: typed(value, translated)}
			}
			return err
		}
	}
	return e.unknown(s)
}

// unknown is what a value is, of which nothing is known, that a field is held
// against.
func (m *mapper) unknown(s shape) error {
	for _, o := range s {
		switch says := o.means(); says.what {
		case showsField:
			m.values.use(says.field)
		case namesPhase, namesContainer, namesGroup, namesPlural:
			return fmt.Errorf("%s is held against a value that is not known here: write it down", describe(o))
		}
		if o.place.holds() {
			return fmt.Errorf("%s is compared as a whole: name its fields", describe(o))
		}
	}
	return nil
}

// literal maps a literal that is compared with a value, or stands by itself. So
// is each of a list of them.
func (e *evaluation) literal(n *dialect.Node, with shape) error {
	value, err := e.literalValue(n.Value, with)
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

// opaque maps parts of an expression that make something new of them, in which
// the fields cannot be told any more.
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

// consume is the end of a value in something that does not tell its fields.
func (e *evaluation) consume(what string, s shape) error {
	e.depends(s)
	for _, o := range s {
		if o.place.holds() {
			return fmt.Errorf("%s takes %s as a whole: name its fields", what, describe(o))
		}
		if says := o.means(); says.what == showsField {
			if _, constant := e.constantOf(says.field); constant {
				return e.skip("it computes with %s, which %s", says.field, e.lacks(says.field))
			}
			e.values.use(says.field)
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

// eachOf maps a function that evaluates an expression for each element.
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

// containment maps contains(LIST, VALUE), and the like for the ends of a text.
func (e *evaluation) containment(name string, args []dialect.Node, on shape) error {
	var shapes [2]shape
	for i := range shapes {
		if literals(&args[i]) {
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
	case literals(&args[0]) && literals(&args[1]):
		return nil
	case literals(&args[0]):
		e.depends(value)
		return e.eachLiteral(&args[0], value)
	case literals(&args[1]):
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

// partOfText refuses to look for a part of a text that another implementation
// has otherwise.
func (e *evaluation) partOfText(name string, in shape) error {
	for _, o := range in {
		says := o.means().what
		inList := o.lists > 0 || strings.HasSuffix(o.path, "[]")
		if says != saysNothing && says != namesFieldOfPrimary && (name != "contains" || !inList) {
			return fmt.Errorf("%s looks for a part of %s: compare the whole", name, describe(o))
		}
	}
	return nil
}

// literals says whether an expression is a literal or a list of them.
func literals(n *dialect.Node) bool {
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

func isVariable(n *dialect.Node) bool { return n.NodeType == parsing.ASTVariable }
