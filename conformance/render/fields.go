package render

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// moves are the paths below a section that the fields of the reference go to.
func moves(section string, fields map[string]v1alpha1.Field) map[string][]string {
	paths := map[string][]string{}
	for name, field := range fields {
		if field.Path != "" {
			paths[name] = strings.Split(strings.TrimPrefix(field.Path, section+"."), ".")
		}
	}
	return paths
}

// statusFields maps the fields of a status, plain or in expressions.
func (m *mapper) statusFields(status *yaml.Node) error {
	for i := 0; status != nil && status.Kind == yaml.MappingNode && i+1 < len(status.Content); i += 2 {
		key, value := status.Content[i], status.Content[i+1]
		if key.Value == "phase" || isExpression(key.Value) && strings.Contains(key.Value, "phase") {
			m.phasesIn(key)
			m.phase(value)
		}
	}
	return m.section("status", status, referenceStatus, m.status)
}

// section maps the fields of a spec or status, plain or in expressions.
func (m *mapper) section(name string, n *yaml.Node, reference map[string]bool, fields map[string]v1alpha1.Field) error {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode && isExpression(n.Value) {
		return m.relative(name, n, reference, fields)
	}
	for _, field := range slices.Sorted(maps.Keys(reference)) {
		if get(n, field) != nil && fields[field].Path == "" {
			return m.skip("it looks at %s.%s, which %s", name, field, m.lacks(field))
		}
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if isExpression(n.Content[i].Value) {
			if err := m.relative(name, n.Content[i], reference, fields); err != nil {
				return err
			}
		}
	}
	relocate(n, moves(name, fields))
	return nil
}

// relativeField is the start of a path in an expression below a section: not a
// part of a longer path, nor a variable or a string.
var relativeField = regexp.MustCompile(`(^|[^A-Za-z0-9_.$'"])([A-Za-z]+)\b`)

// relative maps the fields in an expression below a section.
func (m *mapper) relative(section string, s *yaml.Node, reference map[string]bool, fields map[string]v1alpha1.Field) (err error) {
	// Between brackets other objects' fields are named, such as a condition's.
	depth := 0
	var b strings.Builder
	for _, part := range regexp.MustCompile(`[\[\]]|[^\[\]]+`).FindAllString(s.Value, -1) {
		switch {
		case part == "[":
			depth++
		case part == "]":
			depth--
		case depth == 0:
			part = relativeField.ReplaceAllStringFunc(part, func(match string) string {
				found := relativeField.FindStringSubmatch(match)
				field := found[2]
				if !reference[field] {
					return match
				}
				path := fields[field].Path
				if path == "" {
					err = m.skip("it looks at %s.%s, which %s", section, field, m.lacks(field))
					return match
				}
				return found[1] + strings.TrimPrefix(path, section+".")
			})
		}
		b.WriteString(part)
	}
	s.Value = b.String()
	return err
}

// fieldPath is a field of a primary in an expression, a JSONPath or a message.
// In CEL there may be question marks for optional fields.
var fieldPath = regexp.MustCompile(`\b(spec|status)(\.\??)([A-Za-z]+)\b`)

// pathsIn maps the fields that a string names in full.
func (m *mapper) pathsIn(s *yaml.Node) error {
	if s == nil || s.Kind != yaml.ScalarNode {
		return nil
	}
	mapped, err := m.paths(s.Value)
	s.Value = mapped
	return err
}

func (m *mapper) paths(s string) (mapped string, err error) {
	mapped = fieldPath.ReplaceAllStringFunc(s, func(match string) string {
		parts := fieldPath.FindStringSubmatch(match)
		reference, fields := referenceSpec, m.spec
		if parts[1] == "status" {
			reference, fields = referenceStatus, m.status
		}
		if !reference[parts[3]] {
			return match
		}
		path := fields[parts[3]].Path
		if path == "" {
			err = m.skip("it looks at %s.%s, which %s", parts[1], parts[3], m.lacks(parts[3]))
			return match
		}
		return strings.ReplaceAll(path, ".", parts[2])
	})
	return mapped, err
}

// pathsBelow maps the fields that expressions below a node name in full.
func (m *mapper) pathsBelow(n *yaml.Node) error {
	var failed error
	eachScalar(n, func(s *yaml.Node) {
		if failed == nil && (isExpression(s.Value) || strings.Contains(s.Value, "($")) {
			if strings.Contains(s.Value, "phase") {
				m.phasesIn(s)
			}
			failed = m.pathsIn(s)
		}
	})
	return failed
}

// phase translates a value that is a phase.
func (m *mapper) phase(value *yaml.Node) {
	if value == nil {
		return
	}
	if to, ok := m.profile.Spec.Contract.Phases[value.Value]; ok {
		value.Value = to
	}
}

var quoted = regexp.MustCompile(`(['"])([A-Za-z]+)(['"])`)

// phasesIn translates the phases that an expression has as strings.
func (m *mapper) phasesIn(s *yaml.Node) {
	s.Value = quoted.ReplaceAllStringFunc(s.Value, func(match string) string {
		if to, ok := m.profile.Spec.Contract.Phases[match[1:len(match)-1]]; ok {
			return match[:1] + to + match[len(match)-1:]
		}
		return match
	})
}

// constantOf is the value that a field of the reference always has, if it does.
func (m *mapper) constantOf(field string) (*yaml.Node, bool) {
	mapped, ok := m.spec[field]
	if !ok || mapped.Constant == nil {
		return nil, false
	}
	return constantNode(mapped), true
}

func constantNode(field v1alpha1.Field) *yaml.Node {
	n := str(field.Constant.String())
	if field.Constant.Type == intstr.Int {
		n.Tag, n.Style = "!!int", 0
	}
	return n
}
