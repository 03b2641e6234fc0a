package misspelt

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// The variables that Chainsaw has everywhere, and those that it has after an operation, in
// its expect, check and outputs.
var (
	everywhere     = []string{"namespace", "client", "config", "test", "step", "operation", "values", "timeouts"}
	afterOperation = []string{"error", "stdout", "stderr"}
)

// unknown is called for each name that a place does not know, with those that it knows.
type unknown func(at *yaml.Node, name string, known []string)

// names checks the names in bindings and operations.
type names struct {
	// variable is called for the variables of expressions.
	variable unknown
	// environment is called for those of the arguments of commands.
	environment unknown
}

// variables checks the variables that expressions name: in bindings, in operations, and
// those that templates need.
func (c *checker) variables(file string, root *yaml.Node) {
	report := names{variable: c.unknown(file, "binding"), environment: c.unknown(file, "env")}
	spec := get(root, "spec")
	ofTest := report.bindings(get(spec, "bindings"), dollars(everywhere))
	for _, step := range items(get(spec, "steps")) {
		inStep := report.bindings(get(step, "bindings"), ofTest)
		if use := get(step, "use"); use != nil {
			c.needed(file, use, inStep, report)
		}
		report.operations(step, inStep)
	}
	report.operations(spec, ofTest)
}

// unknown returns a function that tells of a name in a file, and of what can define it.
func (c *checker) unknown(file, what string) unknown {
	return func(at *yaml.Node, name string, known []string) {
		c.problem(file, at, "%s is not known here, as there is no %s of that name%s; there are: %s",
			name, what, nearest.Question(name, known), strings.Join(known, ", "))
	}
}

// needed checks that a template gets each variable that it needs.
func (c *checker) needed(file string, use *yaml.Node, known []string, report names) {
	name := get(use, "template")
	if name == nil {
		return
	}
	t := c.templates[path.Join(path.Dir(file), name.Value)]
	if t == nil {
		return
	}
	known = slices.Concat(known, dollars(t.declared))
	given := report.bindings(get(get(use, "with"), "bindings"), known)
	for _, need := range t.needs {
		if !slices.Contains(given, need) {
			c.problem(file, name, "the template %s needs %s, and nothing here gives it%s",
				path.Base(name.Value), need, nearest.Question(need, given))
		}
	}
}

// bindings checks the values of bindings or outputs, each of which may name those before
// it. It returns the variables that are known after them.
func (report names) bindings(list *yaml.Node, known []string) []string {
	for _, binding := range items(list) {
		report.node(get(binding, "value"), known)
		if name := get(binding, "name"); name != nil {
			known = with(known, name.Value)
		}
	}
	return known
}

// operations checks the operations of a step, of a test or of a template.
func (report names) operations(in *yaml.Node, known []string) {
	for body := range bodies(in) {
		known = report.operation(body, known)
	}
}

// operation checks one operation. It returns the variables that are known after it: its
// outputs, too.
func (report names) operation(body *yaml.Node, known []string) []string {
	inside := report.bindings(get(body, "bindings"), known)
	after := slices.Concat(inside, dollars(afterOperation))
	environment := report.bindings(get(body, "env"), inside)[len(inside):]
	for i := 0; body.Kind == yaml.MappingNode && i+1 < len(body.Content); i += 2 {
		switch value := body.Content[i+1]; body.Content[i].Value {
		case "bindings", "outputs", "env":
		case "expect", "check":
			report.node(value, after)
		case "args":
			report.arguments(value, environment)
		default:
			report.node(value, inside)
		}
	}
	outputs := report.bindings(get(body, "outputs"), after)
	return slices.Concat(known, outputs[len(after):])
}

// inCapitals is the form of a variable of the environment. Others, such as the $patch of a
// strategic merge, are passed on as they are.
var inCapitals = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// arguments checks the variables of the environment that the arguments of a command name.
func (report names) arguments(args *yaml.Node, env []string) {
	env = append(dollars([]string{"NAMESPACE"}), env...)
	for _, arg := range items(args) {
		os.Expand(arg.Value, func(name string) string {
			if inCapitals.MatchString(name) && !slices.Contains(env, "$"+name) {
				report.environment(arg, "$"+name, env)
			}
			return ""
		})
	}
}

// node checks all expressions in a value. In a pattern a key may name its value, and the
// number of an element, for what is below it.
func (report names) node(n *yaml.Node, known []string) {
	if n == nil {
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if text, err := dialect.ParseValue(n.Value); err == nil {
			report.expression(n, text.Expression, known)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			report.node(item, known)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			below := known
			if key, err := dialect.ParseKey(n.Content[i].Value); err == nil {
				report.expression(n.Content[i], key.Expression, known)
				below = with(known, key.Index, key.Binding)
			}
			report.node(n.Content[i+1], below)
		}
	}
}

func (report names) expression(at *yaml.Node, n *dialect.Node, known []string) {
	if n == nil {
		return
	}
	if name, ok := n.Value.(string); ok && n.NodeType == parsing.ASTVariable && !slices.Contains(known, name) {
		report.variable(at, name, known)
	}
	for i := range n.Children {
		report.expression(at, &n.Children[i], known)
	}
}

// with returns the known variables and others, if these have names.
func with(known []string, names ...string) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	return slices.Concat(known, dollars(names))
}

// dollars returns names as they are written in an expression.
func dollars(names []string) []string {
	written := make([]string, len(names))
	for i, name := range names {
		written[i] = "$" + name
	}
	return written
}
