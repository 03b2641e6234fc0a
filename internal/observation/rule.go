package observation

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// costLimit bounds one evaluation, so that a rule over large objects cannot hold up
// the watch.
const costLimit = 2_000_000

// rule is a compiled Observation.spec.never or eventually.
type rule struct {
	expression string
	program    cel.Program
	reads      [][]string // the fields of objects
}

// compile checks the expression of a field and says what is wrong with it, with the
// place. It is nil where the expression is empty.
func compile(field, expression string) (*rule, error) {
	if expression == "" {
		return nil, nil
	}
	env, err := cel.NewEnv(
		cel.Variable("old", cel.DynType),
		cel.Variable("new", cel.DynType),
		cel.Variable("first", cel.DynType),
		cel.Variable("all", cel.ListType(cel.DynType)),
		cel.Variable("claims", cel.DynType),
		cel.OptionalTypes(),
		ext.Strings(),
		ext.Lists(),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	ast, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("compiling %s: %w", field, err)
	}
	if kind := ast.OutputType(); kind != cel.BoolType && kind != cel.DynType {
		return nil, fmt.Errorf("compiling %s: it yields %s, and must yield bool", field, kind)
	}
	program, err := env.Program(ast, cel.CostLimit(costLimit))
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", field, err)
	}
	return &rule{expression: expression, program: program, reads: readBy(ast.NativeRep().Expr())}, nil
}

// facts are what a rule speaks of.
type facts struct {
	before, after any // nil where there is none
	first         any // nil where none was seen yet
	all           []any
	claims        map[string]any
}

// holds evaluates the rule. A rule that is not given never holds. The error says what
// the rule reads that is not there, or of another type.
func (r *rule) holds(f facts) (bool, error) {
	if r == nil {
		return false, nil
	}
	out, _, err := r.program.Eval(map[string]any{
		"old": f.before, "new": f.after, "first": f.first, "all": f.all, "claims": f.claims,
	})
	if err != nil {
		return false, fmt.Errorf("evaluating %q: %w", r.expression, err)
	}
	held, ok := out.Value().(bool)
	if !ok {
		return false, fmt.Errorf("evaluating %q: it yields %s, and must yield bool", r.expression, out.Type().TypeName())
	}
	return held, nil
}
