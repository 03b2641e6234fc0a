package observation

import (
	"fmt"
	"strings"

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
	// parts are what it joins by ||, where it joins anything.
	parts []*rule
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
	r := &rule{expression: expression, program: program, reads: readBy(ast.NativeRep().Expr())}
	if parts := alternatives(expression); len(parts) > 1 {
		for _, text := range parts {
			part, err := compile(field, text)
			if err != nil {
				return nil, err
			}
			r.parts = append(r.parts, part)
		}
	}
	return r, nil
}

// alternatives are what an expression joins by ||, in nothing else: not in brackets, and
// not beside another operator that binds less.
func alternatives(expression string) []string {
	var parts []string
	depth, begun := 0, 0
	var quote byte
	for n := 0; n < len(expression); n++ {
		c := expression[n]
		switch {
		case quote != 0:
			if c == '\\' {
				n++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth > 0:
		case c == '?' && n > 0 && expression[n-1] != '.' && expression[n-1] != '[':
			return []string{expression} // a condition
		case strings.HasPrefix(expression[n:], "||"):
			parts = append(parts, strings.TrimSpace(expression[begun:n]))
			n++
			begun = n + 1
		}
	}
	return append(parts, strings.TrimSpace(expression[begun:]))
}

// cameTrue is what came true of a rule that holds: the first of what it joins, or all of it. It
// is empty where it joins nothing.
func (r *rule) cameTrue(f facts) string {
	for _, part := range r.parts {
		if held, err := part.holds(f); err == nil && held {
			return part.expression
		}
	}
	return ""
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
