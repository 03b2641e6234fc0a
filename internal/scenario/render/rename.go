package render

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

// usualName is what scenarios call their WebApp. In scenarios only the WebApp and what
// belongs to it have this name.
const usualName = "demo"

// rename gives the primary of a scenario the only name that the implementation serves.
// What is named after the primary, such as its children, gets the new name too.
func (m *mapper) rename() error {
	fixed := m.profile.FixedName()
	if fixed == "" {
		return nil
	}
	for _, name := range m.scenario.primaryNames() {
		if name != usualName {
			return m.skip("it has a %s of the name %s, and the implementation serves none but %s (contract.metadata.name)", referenceKind, name, fixed)
		}
	}
	word := regexp.MustCompile(`\b` + usualName + `\b`)
	eachScalar(m.scenario.root, func(s *yaml.Node) {
		s.Value = word.ReplaceAllLiteralString(s.Value, fixed)
	})
	return nil
}

// primaryNames returns the names of the primaries that the scenario makes, in that order.
// Primaries that are meant to be refused do not count.
func (s *Scenario) primaryNames() []string {
	var found []string
	s.eachWrite(func(body, resource *yaml.Node, bindings []*yaml.Node) {
		if kindOf(resource) == kindLoad {
			template, _, numbered := loadTemplate(resource)
			if kindOf(template) == kindPrimary {
				name := resolve(text(template, "metadata", "name"), bindings)
				if numbered {
					name += "-0"
				}
				found = append(found, name)
			}
		} else if kindOf(resource) == kindPrimary && !refusalExpected(get(body, "expect")) {
			found = append(found, resolve(text(resource, "metadata", "name"), bindings))
		}
	})
	return found
}

// speak puts the kind that the implementation serves into the texts of the scenario: what it
// proves, the names of its steps, and what is said of its operations.
func (m *mapper) speak() {
	spec := get(m.scenario.root, "spec")
	texts := []*yaml.Node{get(spec, "description")}
	if annotations := at(m.scenario.root, "metadata", "annotations"); annotations != nil {
		texts = append(texts, annotations.Content...)
	}
	for _, step := range list(get(spec, "steps")) {
		texts = append(texts, get(step, "name"))
		for operation := range operationsOf(step) {
			texts = append(texts, get(operation, "description"))
		}
	}
	for _, text := range texts {
		if text != nil {
			text.Value = m.profile.InItsWords(text.Value)
		}
	}
}
