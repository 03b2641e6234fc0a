package render

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// comparison maps a field and what it is compared with.
func (e *ruleEvaluation) comparison(left, right ast.Expr, ordered bool, variables map[string]shape) error {
	if left.Kind() == ast.LiteralKind {
		left, right = right, left
	}
	if left.Kind() == ast.LiteralKind {
		return nil
	}
	s, err := e.eval(left, variables)
	if err != nil {
		return err
	}
	if right.Kind() == ast.LiteralKind {
		if right.AsLiteral() == types.NullValue {
			return e.depends(s)
		}
		if ordered && e.formatted(s) {
			return e.computesText()
		}
		if ordered {
			for _, field := range s.shows() {
				if _, constant := e.constantOf(field); constant {
					return e.skip("its rule asks for more or less %s, which %s", field, e.lacks(field))
				}
			}
		}
		if err := e.depends(s); err != nil {
			return err
		}
		return e.literal(right, s)
	}
	other, err := e.eval(right, variables)
	if err != nil || len(s) > 0 && len(other) > 0 {
		if err == nil && ordered && e.formatted(s.and(other)) {
			err = e.computesText()
		}
		return err
	}
	return e.unknown(s.and(other))
}

// containment maps VALUE in LIST.
func (e *ruleEvaluation) containment(in, value ast.Expr, variables map[string]shape) error {
	if in.Kind() == ast.ListKind && !slices.ContainsFunc(in.AsList().Elements(), func(item ast.Expr) bool { return item.Kind() != ast.LiteralKind }) {
		s, err := e.eval(value, variables)
		if err != nil {
			return err
		}
		for _, item := range in.AsList().Elements() {
			if err := e.literal(item, s); err != nil {
				return err
			}
		}
		return e.depends(s)
	}
	s, err := e.eval(in, variables)
	if err != nil {
		return err
	}
	if value.Kind() == ast.LiteralKind {
		return e.literal(value, s.element())
	}
	other, err := e.eval(value, variables)
	if err != nil || len(s) > 0 && len(other) > 0 {
		return err
	}
	return e.unknown(s.and(other))
}

// literal maps a literal that is compared with a value, or that stands by itself.
func (e *ruleEvaluation) literal(n ast.Expr, with shape) error {
	var text string
	switch v := n.AsLiteral().(type) {
	case types.String:
		text = string(v)
	case types.Int:
		text = strconv.FormatInt(int64(v), 10)
	default:
		return nil
	}
	translated, err := e.translate(text, with)
	if err != nil || translated == text {
		return err
	}
	if isExpression(translated) {
		return e.skip("its rule names %s, whose name is computed", text)
	}
	if _, isNumber := n.AsLiteral().(types.Int); isNumber {
		if value, err := strconv.ParseInt(translated, 10, 64); err == nil {
			n.SetKindCase(e.make.NewLiteral(n.ID(), types.Int(value)))
			return nil
		}
	}
	n.SetKindCase(e.make.NewLiteral(n.ID(), types.String(translated)))
	return nil
}

// depends skips a rule about a value that shows a field, if the implementation does not
// have the field.
func (e *ruleEvaluation) depends(s shape) error {
	for _, field := range e.absent(s) {
		if field == ownerReference && e.asksOwnership {
			continue
		}
		return e.skip("its rule is about %s, which %s", field, e.lacks(field))
	}
	return nil
}

// consume checks a value that is used in a construct whose fields cannot be followed.
func (e *ruleEvaluation) consume(what string, s shape) error {
	if err := e.depends(s); err != nil {
		return err
	}
	for _, o := range s {
		means := o.means()
		switch {
		case o.place.holds():
			return fmt.Errorf("%s takes %s as a whole: name its fields", what, describe(o))
		case means.sense == showsField:
			if _, constant := e.constantOf(means.field); constant {
				return e.skip("its rule computes with %s, which %s", means.field, e.lacks(means.field))
			}
			if e.formatted(shape{o}) {
				return e.computesText()
			}
			e.values.recordComputed(means.field)
		case means.sense != saysNothing:
			return fmt.Errorf("%s takes %s apart: compare the whole", what, describe(o))
		}
	}
	return nil
}
