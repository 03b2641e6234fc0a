package render

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// placeholder stands for the name of a primary while a template is expanded,
// since the name may be an expression.
const placeholder = "\x00"

// survey finds the primaries of a scenario, the names of their children, and
// the values that their specs are given.
func (m *mapper) survey(spec *yaml.Node) error {
	var failed error
	each := func(operation *yaml.Node) {
		kind, body := split(operation)
		resource := get(body, "resource")
		switch {
		case kind == "apply" || kind == "create" || kind == "update" || kind == "patch":
			switch object := kindOf(resource); {
			case failed != nil:
			case object == kindPrimary:
				failed = m.meet(resource)
			case object == kindLoad:
				failed = m.meetLoad(resource)
			}
		case kindOf(resource) == kindPrimary:
			m.name(text(resource, "metadata", "name"), nil)
		case kindOf(get(body, "ref")) == kindPrimary:
			m.name(text(body, "ref", "name"), nil)
		case kindOf(body) == kindPrimary:
			m.name(text(body, "name"), nil)
		}
	}
	// Children get their names from the specs of primaries: those first.
	for _, step := range get(spec, "steps").Content {
		if try := get(step, "try"); try != nil {
			for _, operation := range try.Content {
				if kind, _ := split(operation); kind == "apply" || kind == "create" {
					each(operation)
				}
			}
		}
	}
	for _, step := range get(spec, "steps").Content {
		for _, key := range []string{"try", "catch", "finally", "cleanup"} {
			if list := get(step, key); list != nil {
				for _, operation := range list.Content {
					each(operation)
				}
			}
		}
	}
	return failed
}

// meet takes note of what a primary is given.
func (m *mapper) meet(resource *yaml.Node) error {
	spec := get(resource, "spec")
	values := map[string]any{}
	for field := range referenceSpec {
		value := get(spec, field)
		if value == nil {
			continue
		}
		if m.used[field] == nil {
			m.used[field] = map[string]bool{}
		}
		if value.Kind == yaml.ScalarNode {
			m.used[field][value.Value] = true
		}
		if path := m.spec[field].Path; path != "" {
			var v any
			if err := value.Decode(&v); err != nil {
				return m.scenario.problem(value, "%v", err)
			}
			nest(values, strings.Split(path, ".")[1:], v)
		}
	}
	m.name(text(resource, "metadata", "name"), values)
	return nil
}

func nest(into map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		next, ok := into[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[key] = next
		}
		into = next
	}
	into[path[len(path)-1]] = value
}

// name names the children of a primary, once.
func (m *mapper) name(name string, spec map[string]any) {
	if name == "" || m.primaries[name] != nil {
		return
	}
	p := &primary{}
	m.primaries[name] = p
	base, err := m.profile.Base(placeholder)
	if err != nil {
		p.unnamed = err
		return
	}
	for key, value := range spec {
		base[key] = value
	}
	deployment, service, err := m.profile.ChildNames(placeholder, base)
	p.deployment, p.service, p.unnamed = fill(deployment, name), fill(service, name), err
}

// fill puts a name into what a template made with the placeholder.
func fill(s, name string) string {
	if !strings.Contains(s, placeholder) {
		return s
	}
	if s == placeholder || !isExpression(name) {
		return strings.ReplaceAll(s, placeholder, name)
	}
	parts := []string{}
	inner := strings.TrimSuffix(strings.TrimPrefix(name, "("), ")")
	for i, literal := range strings.Split(s, placeholder) {
		if i > 0 {
			parts = append(parts, inner)
		}
		if literal != "" {
			parts = append(parts, "'"+literal+"'")
		}
	}
	return fmt.Sprintf("(join('', [%s]))", strings.Join(parts, ", "))
}

// childName is the implementation's name for a child that a scenario names
// like the primary. Other names are the scenario's own and stay.
func (m *mapper) childName(kind objectKind, name string) (string, error) {
	p := m.primaries[name]
	if p == nil {
		return name, nil
	}
	if p.unnamed != nil {
		return "", m.skip("the children of %s cannot be named: %v", name, p.unnamed)
	}
	if kind == kindService {
		return p.service, nil
	}
	return p.deployment, nil
}
