package observation

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// costLimit limits one evaluation, so that a rule over large objects cannot block the
// watch.
const costLimit = 2_000_000

// rule is a compiled never, eventually or where of an Observation.
type rule struct {
	expression string
	program    cel.Program
	reads      [][]string // the fields of objects
	claims     [][]string // the fields of claims
	// parts are the expressions that the rule joins by ||, if there are several.
	parts []*rule
}

// compile checks the expression of a field. The error says what is wrong with it, and
// where. The rule is nil if the expression is empty.
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
	whole := ast.NativeRep().Expr()
	r := &rule{expression: expression, program: program, reads: readBy(whole, "old", "new"), claims: readBy(whole, "claims")}
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

// alternatives returns the expressions that an expression joins by || at the top level:
// not in brackets, and not next to an operator of lower precedence. A condition before a group
// of them, as in a && (b || c), is part of each.
func alternatives(expression string) []string {
	if all := joined(expression); len(all) > 1 || !strings.HasSuffix(expression, ")") {
		return all
	}
	for n := range expression {
		condition, group := expression[:n], strings.TrimPrefix(expression[n:], " && (")
		if len(group) == len(expression)-n {
			continue
		}
		group = strings.TrimSuffix(group, ")")
		if all := joined(group); len(all) > 1 && balanced(condition) && balanced(group) && len(joined(condition)) == 1 {
			for n := range all {
				all[n] = condition + " && " + all[n]
			}
			return all
		}
	}
	return []string{expression}
}

// balanced tells whether an expression closes each bracket that it opens, and no other.
func balanced(expression string) bool {
	depth := 0
	var quote rune
	for n, c := range expression {
		switch {
		case quote != 0:
			if c == quote && expression[n-1] != '\\' {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0 && quote == 0
}

// joined returns the expressions that an expression joins by || at the top level.
func joined(expression string) []string {
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
			return []string{expression} // a conditional expression
		case strings.HasPrefix(expression[n:], "||"):
			parts = append(parts, strings.TrimSpace(expression[begun:n]))
			n++
			begun = n + 1
		}
	}
	return append(parts, strings.TrimSpace(expression[begun:]))
}

// cameTrue returns the part of a true rule that is true: the first such part of those
// joined by ||. It returns "" if the rule has no parts.
func (r *rule) cameTrue(f facts) string {
	for _, part := range r.parts {
		if held, err := part.holds(f); err == nil && held {
			return part.expression
		}
	}
	return ""
}

// facts are what a rule is evaluated on.
type facts struct {
	before, after any // nil if there is none
	first         any // nil if none was seen yet
	all           []any
	claims        map[string]any
}

// holds evaluates the rule. A missing rule is never true. The error says that the rule
// reads something that does not exist or has another type.
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
