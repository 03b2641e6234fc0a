package render

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	documents "reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// tree maps an object, or a pattern that objects are compared with. It maps each value by
// the place of its field.
type tree struct {
	*mapper
	// pattern says that keys may be expressions, and that parts are dropped if they show a
	// field that the implementation does not have.
	pattern bool
	// lost says that something was dropped.
	lost bool
}

// objectTree maps an object that a scenario writes. Nothing of it is dropped, except what
// the implementation's workload lacks.
func (m *mapper) objectTree(n *yaml.Node, s shape) error {
	return (&tree{mapper: m}).node(n, s)
}

// patternTree maps a pattern, and says whether any part of it was dropped.
func (m *mapper) patternTree(n *yaml.Node, s shape) (lost bool, err error) {
	t := &tree{mapper: m, pattern: true}
	err = t.node(n, s)
	return t.lost, err
}

func (t *tree) node(n *yaml.Node, s shape) error {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return t.scalar(n, s)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := t.node(item, s.element()); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		return t.mapping(n, s)
	}
	return nil
}

func (t *tree) mapping(n *yaml.Node, s shape) error {
	name := t.named(n, s)
	for i := 0; i+1 < len(n.Content); {
		key, value := n.Content[i], n.Content[i+1]
		if ready, err := t.readyPattern(key, value, s); err != nil || ready {
			if err != nil {
				return t.at(key, err)
			}
			i += 2
			continue
		}
		inner, dropped, err := t.key(key, s)
		if err != nil {
			return t.at(key, err)
		}
		if dropped {
			t.lost = true
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		if name.sense != saysNothing && key.Value == "name" {
			err = t.nameAs(value, name)
		} else {
			err = t.node(value, inner)
		}
		if err != nil {
			return t.at(value, err)
		}
		i += 2
	}
	if len(s) == 1 && s[0].lists == 0 {
		switch s[0].place {
		case place{kindPrimary, "spec"}:
			relocate(n, moves(t.spec))
			walk(n, intoList)
		case place{kindPrimary, "status"}:
			relocate(n, moves(t.status))
		case place{kindDeployment, "spec"}:
			relocate(n, t.moves)
		}
	}
	return nil
}

// key maps a key. It returns the shape that the value of the key is compared with. It also
// says whether the key is dropped, because the implementation does not have what it shows.
func (t *tree) key(key *yaml.Node, s shape) (inner shape, dropped bool, err error) {
	if !t.pattern {
		inner = s.field(key.Value)
		return inner, len(inner) == 1 && t.lacksOf(inner[0].place) != "", nil
	}
	text, err := dialect.ParseKey(key.Value)
	if err != nil {
		return nil, false, err
	}
	if text.Expression != nil {
		var absent []string
		before := text.String()
		if inner, absent, err = t.expression(text.Expression, s); err != nil {
			return nil, false, err
		}
		if len(absent) > 0 {
			return nil, true, nil
		}
		if after := text.String(); after != before {
			key.SetString(after)
		}
	} else {
		inner = s.field(text.Plain)
		if len(t.absent(inner)) > 0 {
			return nil, true, nil
		}
		if _, err := t.fieldOf(s, text.Plain); err != nil { // relocated later
			return nil, false, err
		}
	}
	if text.Foreach {
		inner = inner.element()
		if text.Index != "" {
			t.scope.own[text.Index] = variable{}
		}
	}
	if text.Binding != "" {
		t.scope.own[text.Binding] = variable{shape: inner}
	}
	return inner, false, nil
}

// named returns what the name in a reference to another object means. The kind next to the
// name says that.
func (t *tree) named(n *yaml.Node, s shape) meaning {
	for _, o := range s {
		if !references[o.path] || o.lists > 0 {
			continue
		}
		switch kindOf(n) {
		case kindDeployment:
			return meaning{sense: namesDeployment}
		case kindService:
			return meaning{sense: namesService}
		}
		switch text(n, "kind") { // without an apiVersion it is a kind of the contract
		case "Deployment":
			return meaning{sense: namesDeployment}
		case "Service":
			return meaning{sense: namesService}
		}
	}
	return meaning{}
}

// nameAs maps a scalar that is the name of an object.
func (m *mapper) nameAs(n *yaml.Node, means meaning) error {
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	if err := m.plain(n); err != nil {
		return err
	}
	name := n.Value
	if value := m.scope.literal(n); value != nil {
		name = value.Value
	}
	renamed, err := m.translateAs(name, means)
	if err == nil && renamed != name {
		n.SetString(renamed)
	}
	return err
}

// plain maps an expression at a place where nothing is known about the value.
func (m *mapper) plain(n *yaml.Node) error {
	t := &tree{mapper: m}
	if !isExpression(n.Value) {
		return nil
	}
	return t.scalar(n, nil)
}

// scalar maps a value at a place. The value may be an expression.
func (t *tree) scalar(n *yaml.Node, s shape) error {
	text, err := dialect.ParseValue(n.Value)
	if err != nil {
		return t.at(n, err)
	}
	if text.Expression == nil {
		if means, _ := s.means(); means.sense == namesContainer && !t.pattern && t.kubectl == nil && t.profile.Spec.Contract.Children.Deployment.FirstContainer {
			return nil // in a Deployment of the scenario's own
		}
		return t.at(n, t.literalIn(n, n, s))
	}
	if value := t.variable(text.Expression).literal; value != nil && len(s) > 0 {
		return t.at(n, t.literalIn(n, value, s))
	}
	original := n.Value
	before := text.String()
	result, absent, err := t.expression(text.Expression, s)
	if err != nil {
		return t.at(n, err)
	}
	if len(absent) > 0 {
		return t.skip("it needs what a child shows of %s, which %s", absent[0], t.lacks(absent[0]))
	}
	if after := text.String(); after != before {
		n.SetString(after)
	}
	if means, _ := s.means(); t.primaries[original] != nil && (means.sense == namesDeployment || means.sense == namesService) {
		renamed, err := t.translateAs(original, means)
		if err == nil {
			n.SetString(renamed)
		}
		return err
	}
	if len(result) == 0 {
		return t.at(n, t.unknown(s))
	}
	return nil
}

// literalIn writes into a scalar what a value becomes in the implementation, if that is
// something else.
func (m *mapper) literalIn(n, value *yaml.Node, s shape) error {
	translated, err := m.translate(value.Value, s)
	if err != nil || translated == value.Value {
		return err
	}
	if means, _ := s.means(); m.kubectl == nil && (means.sense == namesPhase || means.sense == showsField) {
		translated = literallyIn(translated) // a word of the profile
	}
	isNumber := value.Tag == "!!int"
	*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: value.Style, Value: translated, Line: n.Line, Column: n.Column, LineComment: n.LineComment}
	if _, err := strconv.Atoi(translated); err == nil && isNumber {
		n.Tag, n.Style = "!!int", 0
	} else {
		n.SetString(translated)
		n.Style |= documents.Text(translated).Style
	}
	return nil
}

// checked maps the check of an operation. The root of the check is the object of the
// operation, if there is one.
func (m *mapper) checked(n *yaml.Node, s shape) error {
	if n == nil {
		return nil
	}
	lost, err := m.patternTree(n, s)
	if err != nil {
		return err
	}
	if lost {
		return m.skip("a check of an operation shows what this implementation does not have")
	}
	return nil
}
