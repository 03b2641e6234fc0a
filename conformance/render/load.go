package render

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// loadNumber is how a Load's template writes the number of an object.
const loadNumber = "-{{ .i }}"

// maxLoadNames bounds the objects of a Load that a scenario may name.
const maxLoadNames = 1000

// loadTemplate is the object in a Load, what the Load does with it in the words
// of Chainsaw, and whether its name gets a number.
func loadTemplate(resource *yaml.Node) (template *yaml.Node, operation string, numbered bool) {
	template = at(resource, "spec", "template")
	if text(resource, "spec", "action") == "Edit" {
		return template, "patch", false
	}
	return template, "create", true
}

// load maps the template of a Load as if the scenario created or patched the
// object itself.
func (m *mapper) load(body, resource *yaml.Node) (bool, error) {
	template, operation, numbered := loadTemplate(resource)
	if template == nil {
		return false, m.scenario.problem(resource, "a Load needs spec.template")
	}
	// What is named after the object, in the base, is so after each of them.
	name, number := at(template, "metadata", "name"), ""
	if numbered && name != nil {
		number = loadNumber
		name.Value += number
	}
	if keep, err := m.mutation(operation, mapping(str("resource"), template), template); err != nil || !keep {
		return keep, err
	}
	if name != nil {
		name.Value = strings.TrimSuffix(name.Value, number)
	}
	// The template has its words already, and no word twice.
	spec := get(resource, "spec")
	set(spec, "template", mapping())
	m.words(body)
	set(spec, "template", template)
	return true, nil
}

// meetLoad takes note of the primaries that a Load makes, or edits.
func (m *mapper) meetLoad(resource *yaml.Node) error {
	template, _, numbered := loadTemplate(resource)
	if kindOf(template) != kindPrimary {
		return nil
	}
	if !numbered {
		return m.meet(template)
	}
	count, err := strconv.Atoi(text(resource, "spec", "count"))
	if err != nil {
		count = 0 // an expression
	}
	template = clone(template)
	name := at(template, "metadata", "name")
	base := text(template, "metadata", "name")
	for i := range min(count, maxLoadNames) {
		name.Value = fmt.Sprintf("%s-%d", base, i)
		if err := m.meet(template); err != nil {
			return err
		}
	}
	return nil
}

// snapshot maps the names of a Snapshot's objects, and drops resources that
// there are none of.
func (m *mapper) snapshot(resource *yaml.Node) error {
	if resources := at(resource, "spec", "resources"); resources != nil && m.noService() {
		kept := resources.Content[:0:0]
		for _, r := range resources.Content {
			if kindOfResource(r.Value) != kindService {
				kept = append(kept, r)
			}
		}
		if len(kept) == 0 && len(resources.Content) > 0 {
			return m.skip("it takes a Snapshot of Services, and the implementation makes none")
		}
		resources.Content = kept
	}
	names := at(resource, "spec", "names")
	if names == nil {
		return nil
	}
	var all []*yaml.Node
	seen := map[string]bool{}
	for _, name := range names.Content {
		for _, object := range []objectKind{kindPrimary, kindDeployment, kindService} {
			if object == kindService && m.noService() {
				continue
			}
			n := clone(name)
			if err := m.nameChild(object, n); err != nil {
				return err
			}
			if !seen[n.Value] {
				all, seen[n.Value] = append(all, n), true
			}
		}
	}
	names.Content = all
	return nil
}
