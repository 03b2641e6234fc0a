package observation

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// costLimit bounds one evaluation, so that a rule over a large object cannot
// hold up the watch.
const costLimit = 1_000_000

// rule is a compiled Observation.spec.never.
type rule struct {
	program cel.Program
}

// compile checks the expression and says what is wrong with it, with the place.
func compile(expression string) (*rule, error) {
	env, err := cel.NewEnv(
		cel.Variable("old", cel.DynType),
		cel.Variable("new", cel.DynType),
		cel.OptionalTypes(),
		ext.Strings(),
		ext.Lists(),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	ast, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("compiling never: %w", err)
	}
	if kind := ast.OutputType(); kind != cel.BoolType && kind != cel.DynType {
		return nil, fmt.Errorf("compiling never: it yields %s, and must yield bool", kind)
	}
	program, err := env.Program(ast, cel.CostLimit(costLimit))
	if err != nil {
		return nil, fmt.Errorf("compiling never: %w", err)
	}
	return &rule{program: program}, nil
}

// holds evaluates the rule. Either object may be nil. A version that lacks a
// field which the rule reads does not match it.
func (r *rule) holds(before, after map[string]any) bool {
	out, _, err := r.program.Eval(map[string]any{"old": orNull(before), "new": orNull(after)})
	if err != nil {
		return false
	}
	matched, ok := out.Value().(bool)
	return ok && matched
}

// orNull makes an absent object CEL's null instead of an empty map.
func orNull(object map[string]any) any {
	if object == nil {
		return nil
	}
	return object
}
