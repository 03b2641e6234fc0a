package render

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// The phases that can be told apart by readiness, if there is no phase.
const (
	readyPhase   = "Running"
	unreadyPhase = "Deploying"
)

// readiness returns the condition that the implementation has instead of a phase, or nil.
func (m *mapper) readiness() *v1alpha1.ConditionStatus { return m.status["phase"].Condition }

// isStatus says whether a value is the status of a primary and cannot be anything else.
func (s shape) isStatus() bool {
	return len(s) == 1 && s[0].lists == 0 && s[0].place == place{kindPrimary, "status"}
}

// readyPattern replaces the phase in the pattern of a status, if the implementation has no
// phase: the pattern then counts the conditions that say Running.
func (m *mapper) readyPattern(key, value *yaml.Node, s shape) (done bool, err error) {
	ready := m.readiness()
	if ready == nil || key.Value != "phase" || !s.isStatus() {
		return false, nil
	}
	written := m.scope.literal(value)
	if written == nil {
		return false, m.skip("the scenario computes the phase, and this implementation has a condition in place of a phase")
	}
	count := map[string]string{readyPhase: "1", unreadyPhase: "0"}[written.Value]
	if count == "" {
		return false, m.skip("it expects the phase %s, and this implementation has the condition %s for a phase", written.Value, ready.Type)
	}
	path := ""
	for _, step := range m.conditions() {
		path += "." + dialect.PrintJMESPath(&dialect.Node{NodeType: parsing.ASTField, Value: step}) // in quotes if it has a dash
	}
	key.SetString(fmt.Sprintf("(length(%s[?type == '%s' && status == '%s'] || `[]`))", path[1:], ready.Type, ready.Status))
	*value = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: count}
	return true, nil
}

// conditions returns the steps from the status of the implementation to the conditions.
func (m *mapper) conditions() []string {
	return profile.Steps(m.status["conditions"].Path)[1:]
}

// readyRule replaces the phase in a rule by the condition, if the implementation has no
// phase.
func (e *ruleEvaluation) readyRule(n, operand ast.Expr) error {
	const status = "status"
	ready, first := e.readiness(), "[0]"
	if isOptional(n) {
		first = "[?0]"
	}
	list := status
	for _, step := range e.conditions() {
		if strings.Contains(step, "-") {
			step = "`" + step + "`"
		}
		list += ".?" + step
	}
	list += ".orValue([])"
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

// replaceIdent replaces a variable by an expression.
func replaceIdent(in ast.Expr, name string, with ast.Expr) {
	if in.Kind() == ast.IdentKind && in.AsIdent() == name {
		in.SetKindCase(with)
		return
	}
	for _, operand := range dialect.Operands(in) {
		replaceIdent(operand, name, with)
	}
}
