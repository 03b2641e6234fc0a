package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"

	loads "reconform.dev/reconform/internal/bench/load/template"
)

// loadNumber is how the template of a Load writes the number of an object.
const loadNumber = "-{{ .i }}"

// maxLoadNames limits how many objects of a Load a scenario may name.
const maxLoadNames = 1000

// loadTemplate returns the object in a Load, the name of the Chainsaw operation that the
// Load does with it, and whether its name gets a number.
func loadTemplate(resource *yaml.Node) (template *yaml.Node, operation string, numbered bool) {
	template = at(resource, "spec", "template")
	if text(resource, "spec", "action") == "Edit" {
		return template, "patch", false
	}
	return template, "create", true
}

// load maps the template of a Load as if the scenario created or patched the object
// itself.
func (m *mapper) load(resource *yaml.Node) (bool, error) {
	template, operation, numbered := loadTemplate(resource)
	if template == nil {
		return false, m.at(resource, errors.New("a Load needs spec.template"))
	}
	// The number goes into the name first: names in the base that contain the object's
	// name then contain the number too.
	name, number := at(template, "metadata", "name"), ""
	if numbered && name != nil {
		number = loadNumber
		name.Value += number
	}
	m.inLoad = true
	keep, err := m.mutation(operation, mapping(str("resource"), template), kindOf(template), template)
	m.inLoad = false
	if err != nil || !keep {
		return keep, err
	}
	if name != nil {
		name.Value = strings.TrimSuffix(name.Value, number)
	}
	// The template is already mapped; it must not be mapped twice.
	spec := get(resource, "spec")
	set(spec, "template", mapping())
	if err := m.objectTree(resource, object(kindLoad)); err != nil {
		return false, err
	}
	set(spec, "template", template)
	return true, nil
}

// recordLoad records the primaries that a Load creates or edits.
func (m *mapper) recordLoad(resource *yaml.Node) error {
	template, _, numbered := loadTemplate(resource)
	if kindOf(template) != kindPrimary {
		return nil
	}
	count, err := strconv.Atoi(text(resource, "spec", "count"))
	if err != nil {
		count = 0 // an expression
	}
	for field := range referenceSpec {
		if value := at(template, "spec", field); value != nil && strings.Contains(flat(value), "{{") {
			m.values.open[field] = true
		}
	}
	for i := range min(count, maxLoadNames) {
		object := clone(template)
		eachScalar(object, func(s *yaml.Node) {
			if filled, ok := fillNumber(s.Value, i); ok {
				s.Value, s.Tag, s.Style = filled, "", 0
			}
		})
		if name := at(object, "metadata", "name"); numbered && name != nil {
			name.Value = fmt.Sprintf("%s-%d", name.Value, i)
		}
		m.recordBounds(object)
		if err := m.recordPrimary(object); err != nil {
			return err
		}
	}
	return nil
}

// fillNumber fills the number of an object into a string of a Load's template. ok is false
// if the string is not a template, or a wrong one, which the Load itself will report.
func fillNumber(s string, i int) (filled string, ok bool) {
	if !strings.Contains(s, "{{") {
		return "", false
	}
	t, err := template.New("").Funcs(loads.Functions()).Parse(s)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]int{"i": i}); err != nil {
		return "", false
	}
	return b.String(), true
}
