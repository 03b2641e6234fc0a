package misspelt

import (
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile/nearest"
)

// named is an object of the bench that an operation names.
type named struct {
	kind, name string
	// at is where the name is given: in the scenario, also if a template has the operation.
	at *yaml.Node
}

// made checks that the objects of the bench whose verdict a scenario waits for are created by
// it. A name that is mistyped would accuse the controller: nothing can come true of it.
func (c *checker) made(file string, root *yaml.Node) {
	var created, expected []named
	for _, step := range append(items(get(get(root, "spec"), "steps")), get(root, "spec")) {
		in, given := c.carriedOut(file, step)
		if fromElsewhere(in) {
			return
		}
		created = append(created, c.benchObjects(in, given, "create", "apply")...)
		expected = append(expected, c.benchObjects(in, given, "assert")...)
	}
	for _, e := range expected {
		names := map[string]bool{}
		for _, o := range created {
			if o.kind == e.kind {
				names[o.name] = true
			}
		}
		there := slices.Sorted(maps.Keys(names))
		if !slices.Contains(there, e.name) && !slices.ContainsFunc(there, isExpression) && !isExpression(e.name) {
			c.problem(file, e.at, "no step creates the %s %q%s; there is: %s", e.kind, e.name, nearest.Question(e.name, there), strings.Join(there, ", "))
		}
	}
}

// carriedOut returns what has the operations of a step: the step itself, or the template that it
// uses. The values that the step gives to the template are by their names, as in ($name).
func (c *checker) carriedOut(file string, step *yaml.Node) (in *yaml.Node, given map[string]*yaml.Node) {
	use := get(step, "use")
	template := get(use, "template")
	if template == nil {
		return step, nil
	}
	given = map[string]*yaml.Node{}
	for _, binding := range items(get(get(use, "with"), "bindings")) {
		if name, value := get(binding, "name"), get(binding, "value"); name != nil && value != nil {
			given["($"+name.Value+")"] = value
		}
	}
	return c.templateSpec(path.Join(path.Dir(file), template.Value)), given
}

// fromElsewhere tells whether objects that are not in the scenario may be created: those of a file,
// or of a program.
func fromElsewhere(in *yaml.Node) bool {
	return slices.ContainsFunc(items(get(in, "try")), func(operation *yaml.Node) bool {
		text := get(get(operation, "script"), "content")
		return get(get(operation, "create"), "file") != nil || get(get(operation, "apply"), "file") != nil ||
			text != nil && strings.Contains(text.Value, "reconform.dev") ||
			slices.ContainsFunc(items(get(get(operation, "command"), "args")), func(n *yaml.Node) bool { return n.Value == "apply" || n.Value == "create" })
	})
}

// templateSpec returns the spec of a template, or nil if it cannot be read.
func (c *checker) templateSpec(file string) *yaml.Node {
	if t := c.templates[file]; t != nil {
		return t.spec
	}
	return nil
}

// benchObjects returns the objects of the bench that operations of these types name, with the
// values of bindings in place of their names.
func (c *checker) benchObjects(in *yaml.Node, given map[string]*yaml.Node, operations ...string) []named {
	var objects []named
	for _, operation := range items(get(in, "try")) {
		for _, key := range operations {
			object := get(get(operation, key), "resource")
			api, kind, name := get(object, "apiVersion"), get(object, "kind"), get(get(object, "metadata"), "name")
			if api == nil || kind == nil || name == nil || c.schemas[api.Value+" "+kind.Value] == nil {
				continue
			}
			if value := given[name.Value]; value != nil {
				name = value
			}
			objects = append(objects, named{kind.Value, name.Value, name})
		}
	}
	return objects
}
