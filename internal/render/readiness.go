package render

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/dialect"
)

// The phases that readiness without a phase is told apart by.
const (
	readyPhase   = "Running"
	unreadyPhase = "Deploying"
)

// readiness is the condition that the implementation has for a phase; nil for none.
func (m *mapper) readiness() *v1alpha1.ConditionStatus { return m.status["phase"].Condition }

// isStatus says whether a value is the status of a primary, and nothing else.
func (s shape) isStatus() bool {
	return len(s) == 1 && s[0].lists == 0 && s[0].place == place{kindPrimary, "status"}
}

// readyPattern makes a phase in the pattern of a status, where the implementation has
// none, into a count of the conditions that say Running.
func (m *mapper) readyPattern(key, value *yaml.Node, s shape) (done bool, err error) {
	ready := m.readiness()
	if ready == nil || key.Value != "phase" || !s.isStatus() {
		return false, nil
	}
	written := m.scope.literal(value)
	if written == nil {
		return false, m.skip("its phase is not written down, and this implementation has a condition for one")
	}
	count := map[string]string{readyPhase: "1", unreadyPhase: "0"}[written.Value]
	if count == "" {
		return false, m.skip("it expects the phase %s, and this implementation has the condition %s for a phase", written.Value, ready.Type)
	}
	key.SetString(fmt.Sprintf("(length(%s[?type == '%s' && status == '%s'] || `[]`))", m.conditions(), ready.Type, ready.Status))
	*value = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: count}
	return true, nil
}

// conditions is their path in the status of the implementation.
func (m *mapper) conditions() string {
	return strings.TrimPrefix(m.status["conditions"].Path, "status.")
}

// readyRule makes the phase in a rule, where the implementation has none, into what its
// condition says.
func (e *ruleEvaluation) readyRule(n, operand ast.Expr, optional bool) error {
	const status = "status"
	ready, first := e.readiness(), "[0]"
	if optional {
		first = "[?0]"
	}
	list := fmt.Sprintf("%s.?%s.orValue([])", status, strings.ReplaceAll(e.conditions(), ".", ".?"))
	text := fmt.Sprintf("[%s.exists(c, c.?type.orValue('') == '%s' && c.?status.orValue('') == '%s') ? '%s' : '%s']%s",
		list, ready.Type, ready.Status, readyPhase, unreadyPhase, first)
	rule, err := dialect.ParseRule(text, status)
	if err != nil {
		return fmt.Errorf("writing the condition for a phase: %w", err)
	}
	replaceIdent(rule.Root, status, operand)
	n.SetKindCase(rule.Root)
	return nil
}

// replaceIdent puts an expression in the place of a variable.
func replaceIdent(in ast.Expr, name string, with ast.Expr) {
	if in.Kind() == ast.IdentKind && in.AsIdent() == name {
		in.SetKindCase(with)
		return
	}
	for _, operand := range dialect.Operands(in) {
		replaceIdent(operand, name, with)
	}
}
