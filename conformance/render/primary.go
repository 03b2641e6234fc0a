package render

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// primaryMutation maps apply, create, update and patch of a primary.
func (m *mapper) primaryMutation(kind string, body, resource *yaml.Node) (bool, error) {
	expect := get(body, "expect")
	if expectsError(expect) {
		if field := m.refused(resource, expect); field != "" {
			m.lostRefusals++
			m.lostRefusalFor = field + ", which " + m.lacks(field)
			return false, nil
		}
		m.refusals++
	}
	id := text(resource, "metadata", "namespace") + "/" + text(resource, "metadata", "name")
	known, seen := m.known[id]
	first := !seen && (kind == "apply" || kind == "create") || expectsError(expect)
	if !seen {
		known = map[string]string{}
		if !expectsError(expect) {
			m.known[id] = known
		}
	}
	spec := get(resource, "spec")
	if spec != nil && spec.Kind != yaml.MappingNode {
		return false, m.scenario.problem(spec, "spec: not a mapping")
	}
	for _, field := range slices.Sorted(maps.Keys(referenceSpec)) {
		value := get(spec, field)
		if value == nil || m.spec[field].Path != "" {
			continue
		}
		// flat tells values apart well enough: they are written by one hand.
		if !first && known[field] != flat(value) {
			return false, m.skip("it changes %s of %s, which %s", field, text(resource, "metadata", "name"), m.lacks(field))
		}
		if !expectsError(expect) {
			known[field] = flat(value)
		}
		remove(spec, field)
	}
	relocate(spec, moves("spec", m.spec))
	if err := m.statusFields(get(resource, "status")); err != nil {
		return false, err
	}
	name := text(resource, "metadata", "name")
	m.words(body)
	if kind != "patch" {
		if err := m.base(resource, name); err != nil {
			return false, err
		}
	}
	for _, key := range []string{"expect", "outputs"} {
		if err := m.pathsBelow(get(body, key)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// lacks says why a field of the reference cannot be set.
func (m *mapper) lacks(field string) string {
	if mapped, ok := m.spec[field]; ok && mapped.Constant != nil {
		return fmt.Sprintf("is always %s in this implementation", mapped.Constant.String())
	}
	return "this implementation does not have"
}

// base puts the profile's base under the spec of a primary.
func (m *mapper) base(resource *yaml.Node, name string) error {
	values, err := m.profile.Base(placeholder)
	if err != nil {
		return m.skip("%v", err)
	}
	if len(values) == 0 {
		return nil
	}
	base, err := encode(values)
	if err != nil {
		return err
	}
	eachScalar(base, func(s *yaml.Node) {
		if strings.Contains(s.Value, placeholder) {
			*s = *str(fill(s.Value, name))
		}
	})
	spec := get(resource, "spec")
	if spec == nil {
		set(resource, "spec", base)
		return nil
	}
	merge(base, spec)
	spec.Content = base.Content
	return nil
}

// merge puts the values of over on top of those of under.
func merge(under, over *yaml.Node) {
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		if below := get(under, key.Value); below != nil && below.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
			merge(below, value)
			continue
		}
		remove(under, key.Value)
		under.Content = append(under.Content, key, value)
	}
}

// expectsError says whether an operation is expected to fail.
func expectsError(expect *yaml.Node) bool {
	return strings.Contains(strings.ReplaceAll(flat(expect), " ", ""), "$error!=null")
}

// refused is the field that an operation expects a refusal of where the
// implementation does not have that field: one that the expected message names,
// else any in the object.
func (m *mapper) refused(resource, expect *yaml.Node) string {
	var named bool
	said := flat(expect)
	for _, field := range slices.Sorted(maps.Keys(referenceSpec)) {
		if !regexp.MustCompile(`\b` + field + `\b`).MatchString(said) {
			continue
		}
		named = true
		if m.spec[field].Path == "" {
			return field
		}
	}
	if named {
		return ""
	}
	for _, field := range slices.Sorted(maps.Keys(referenceSpec)) {
		if get(get(resource, "spec"), field) != nil && m.spec[field].Path == "" {
			return field
		}
	}
	return ""
}

// primaryCheck maps a pattern that a primary is held against.
func (m *mapper) primaryCheck(resource *yaml.Node) error {
	// Expressions at the root, and in values, name fields in full. Those below
	// spec and status do not, so they cannot be taken for one another.
	if err := m.pathsBelow(resource); err != nil {
		return err
	}
	if err := m.section("spec", get(resource, "spec"), referenceSpec, m.spec); err != nil {
		return err
	}
	return m.statusFields(get(resource, "status"))
}
