package render

import (
	"fmt"
	"slices"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// field maps a field of a value. The field may lie deeper in the implementation.
func (e *evaluation) field(n *dialect.Node, on shape) (shape, error) {
	name := fmt.Sprint(n.Value)
	if name == "null" { // not a keyword of JMESPath, but a field that no object has
		return nil, nil
	}
	path, err := e.fieldOf(on, name)
	if err != nil {
		return nil, err
	}
	chain := dialect.Node{NodeType: parsing.ASTField, Value: path[0]}
	for _, step := range path[1:] {
		if step == profile.First {
			chain = dialect.Node{NodeType: parsing.ASTIndexExpression, Children: []dialect.Node{chain, {NodeType: parsing.ASTIndex, Value: 0}}}
			continue
		}
		chain = dialect.Node{NodeType: parsing.ASTSubexpression, Children: []dialect.Node{chain, {NodeType: parsing.ASTField, Value: step}}}
	}
	*n = chain
	return on.field(name), nil
}

// fieldOf returns the path that a field of a value has in the implementation.
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
		} else if moved, known := m.moves[name]; known && o.place == (place{kindDeployment, "spec"}) && o.lists == 0 {
			path = moved
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

// afterDot returns an expression in the form that it must have after a dot.
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

// firstSteps splits an expression that begins with a field, if that field has become
// several fields. It returns the fields before the last one, and the rest.
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

// projection maps a projection: what is evaluated on each element.
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
	if e.isFirstContainer(n, element) {
		if e.added != "" {
			return nil, e.skip("it adds the container %s, and the profile says only that its own is the first", e.added)
		}
		takeFirst(n)
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

// anyField returns the shape of the values of all fields. In the contract, only the status
// of a primary may be searched in this way: what is searched for there has no fixed place.
func (m *mapper) anyField(s shape) (shape, error) {
	for _, o := range s {
		if o.place.holds() && o.place != (place{kindPrimary, "status"}) {
			return nil, fmt.Errorf("all fields of %s: name the field", describe(o))
		}
	}
	return s.field("*"), nil
}
