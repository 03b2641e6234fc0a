package render

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// Some fields lie in lists of the implementation, or are lists there. A merge patch
// replaces a whole list, so the parts that a scenario does not change must be written
// again.

// complete adds to the spec of a primary what the implementation has in addition to the
// fields of the reference: the port of its Service, and the earlier content of a patched
// list. It records what the primary now has.
func (m *mapper) complete(kind, name string, spec *yaml.Node) error {
	if spec == nil {
		return nil
	}
	if port := get(spec, "port"); port != nil && m.spec[servicePort].Path != "" && m.spec[servicePort].Path != m.spec["port"].Path {
		set(spec, servicePort, clone(port))
	}
	given := m.given[name]
	if given == nil || kind == "create" || kind == "apply" || kind == "update" {
		given = map[string]*yaml.Node{}
		m.given[name] = given
	}
	patched := map[string]bool{}
	for _, field := range slices.Sorted(maps.Keys(m.spec)) {
		value := get(spec, field)
		if value == nil {
			continue
		}
		if m.spec[field].As == v1alpha1.AsList && value.Kind == yaml.MappingNode {
			before := orEmpty(clone(given[field]))
			mergePatch(before, value)
			value = before
			set(spec, field, value)
		} else if m.spec[field].As == v1alpha1.AsList {
			return m.skip("the scenario computes the %s, which is a list in this implementation", field)
		}
		given[field] = clone(value)
		if list := listAround(m.spec[field].Path); list != "" {
			patched[list] = true
		}
	}
	if kind == "patch" {
		for _, field := range slices.Sorted(maps.Keys(given)) {
			if patched[listAround(m.spec[field].Path)] && get(spec, field) == nil {
				set(spec, field, clone(given[field]))
			}
		}
		m.patchedLists = patched
	}
	for field, mapped := range m.spec {
		value := get(spec, field)
		switch {
		case value == nil:
		case mapped.As == v1alpha1.AsList:
			set(spec, field, entries(value))
		case mapped.As == v1alpha1.AsName && value.Kind == yaml.MappingNode:
			set(spec, field, get(value, "name"))
		}
	}
	return nil
}

// listAround returns the path of the list that contains a field, or "" if no list does.
func listAround(path string) string {
	list, _, found := strings.Cut(path, profile.First)
	if !found {
		return ""
	}
	return list
}

// intoList turns an object whose only key stands for the first element of a list into
// that list.
func intoList(n *yaml.Node) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == profile.First {
		*n = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: n.Content[1:]}
	}
}

// entries turns a map into a list of objects, each with a name and a value.
func entries(from *yaml.Node) *yaml.Node {
	all := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := 0; i+1 < len(from.Content); i += 2 {
		all.Content = append(all.Content, mapping(str("name"), str(from.Content[i].Value), str("value"), from.Content[i+1]))
	}
	return all
}

// mergePatch applies a merge patch to a map: null removes a key.
func mergePatch(under, over *yaml.Node) {
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		remove(under, key.Value)
		if value.ShortTag() != "!!null" {
			under.Content = append(under.Content, clone(key), clone(value))
		}
	}
}

// only returns a part of a base: the lists that a patch replaces.
func only(base map[string]any, lists map[string]bool) map[string]any {
	kept := map[string]any{}
	for list := range lists {
		steps := profile.Steps(list)[1:]
		var value any = base
		for _, step := range steps {
			inner, _ := value.(map[string]any)
			value = inner[step]
		}
		if value != nil {
			nest(kept, steps, value)
		}
	}
	return kept
}
