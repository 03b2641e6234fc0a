package render

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// primaryMutation maps apply, create, update and patch of a primary.
func (m *mapper) primaryMutation(kind string, body, resource *yaml.Node) (bool, error) {
	if !m.profile.HasContract() && kind == "patch" && get(resource, "spec") != nil {
		return true, m.edit(resource)
	}
	expect := get(body, "expect")
	refusal := refusalExpected(expect)
	if refusal {
		if field := m.refused(resource, expect); field != "" {
			m.lostRefusals++
			m.lostRefusalFor = field + ", which " + m.lacks(field)
			return false, nil
		}
		m.refusals++
	}
	if kind == "patch" && m.profile.Has(v1alpha1.FeaturePropagatesMetadata) && onlyLabels(resource) {
		// The controller would then be right to write the children.
		return false, nil
	}
	name := m.nameOf(at(resource, "metadata", "name"))
	id := m.identity(at(resource, "metadata", "namespace"), at(resource, "metadata", "name"))
	known, seen := m.known[id]
	if kind == "create" { // a new object, even if an object of that name was patched before
		seen = false
	}
	first := !seen && (kind == "apply" || kind == "create") || refusal
	if !seen {
		known = map[string]string{}
		if !refusal {
			m.known[id] = known
		}
	}
	spec := get(resource, "spec")
	if spec != nil && spec.Kind != yaml.MappingNode {
		return false, m.at(spec, errors.New("spec: not a mapping"))
	}
	if err := m.complete(kind, name, spec); err != nil {
		return false, err
	}
	if !refusal {
		if err := m.growth(kind, first, resource, known); err != nil {
			return false, err
		}
	}
	m.omitted = map[string]bool{}
	for field := range referenceSpec {
		m.omitted[field] = get(spec, field) == nil
	}
	if refusal {
		known = maps.Clone(known) // what is refused is not known from then on
	}
	if err := m.fixedFields(resource, first, known); err != nil {
		return false, err
	}
	name = text(resource, "metadata", "name")
	if err := m.objectTree(resource, object(kindPrimary)); err != nil {
		return false, err
	}
	if kind != "patch" {
		m.patchedLists = nil
	}
	return true, m.base(kind, resource, name)
}

// fixedFields maps the fields of the spec that the implementation does not have, or that
// cannot be changed. It adds what they are given to known, which is what they were given
// before.
func (m *mapper) fixedFields(resource *yaml.Node, first bool, known map[string]string) error {
	spec := get(resource, "spec")
	for _, field := range slices.Sorted(maps.Keys(referenceSpec)) {
		value, mapped := get(spec, field), m.spec[field]
		if value == nil || mapped.Path != "" && !mapped.Immutable {
			continue
		}
		// flat can compare values, because all scenarios write the same value in the
		// same way.
		given := flat(value)
		if written := m.scope.literal(value); written != nil {
			given = flat(written)
		}
		if !first && known[field] != given && m.changesOthers(spec, field) {
			if before, ok := known[field]; ok {
				if m.stays[field] == nil {
					m.stays[field] = map[string]string{}
				}
				m.stays[field][strings.TrimSpace(given)] = strings.TrimSpace(before)
			}
			remove(spec, field)
			continue
		}
		if !first && known[field] != given {
			return m.skip("it changes %s of %s, which %s", field, text(resource, "metadata", "name"), m.lacks(field))
		}
		known[field] = given
		if mapped.Path == "" {
			remove(spec, field)
		}
	}
	return nil
}

// changesOthers tells whether a change of several fields may leave one out, because the
// scenario says so, and another of them can be changed.
func (m *mapper) changesOthers(spec *yaml.Node, field string) bool {
	if !m.scenario.whereMapped[field] {
		return false
	}
	for other := range referenceSpec {
		if mapped := m.spec[other]; other != field && get(spec, other) != nil && mapped.Path != "" && !mapped.Immutable {
			return true
		}
	}
	return false
}

// identity returns a key for a primary: its namespace and name.
func (m *mapper) identity(namespace, name *yaml.Node) string {
	return m.nameOf(namespace) + "/" + m.nameOf(name)
}

// lacks says why a scenario cannot set a field of the reference.
func (m *mapper) lacks(field string) string {
	if m.spec[field].Immutable {
		return "cannot be changed in this implementation"
	}
	if m.spec[field].Optional {
		return "is optional in this implementation"
	}
	if mapped, ok := m.spec[field]; ok && mapped.Constant != nil {
		return fmt.Sprintf("is always %s in this implementation", mapped.Constant.String())
	}
	if workload := m.profile.Spec.Contract.Children.Deployment.Workload; workload != nil && slices.Contains(workload.Lacks, field) {
		return fmt.Sprintf("a %s does not have as a Deployment has it", workload.Kind)
	}
	return "this implementation does not have"
}

// base adds the profile's base to the spec of a primary, which keeps its own values. To
// a patch it adds only the lists that the patch replaces.
func (m *mapper) base(kind string, resource *yaml.Node, name string) error {
	values, err := m.profile.Base(placeholder)
	if err != nil {
		return m.skip("%v", err)
	}
	if kind == "patch" {
		values = only(values, m.patchedLists)
	}
	if len(values) > 0 {
		underlay(resource, m.filled(values, name))
	}
	if kind == "patch" {
		return nil
	}
	return m.root(resource, name)
}

// root adds what the profile has at the root of a primary, outside of the spec.
func (m *mapper) root(resource *yaml.Node, name string) error {
	values, err := m.profile.Root(placeholder)
	if err != nil {
		return m.skip("%v", err)
	}
	if len(values) == 0 {
		return nil
	}
	root := m.filled(values, name)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, root.Content[i+1]
		if written := get(resource, key); written != nil && written.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
			merge(value, written)
			written.Content = value.Content
		} else if written == nil {
			set(resource, key, value)
		}
	}
	return nil
}

// filled returns the values of a base for an object with this name. The name may be an
// expression.
func (m *mapper) filled(values map[string]any, name string) *yaml.Node {
	return given(values, func(text string) *yaml.Node { return m.textOf(text, name) })
}

// underlay adds the values of a base to the spec of an object, which keeps its own
// values.
func underlay(object, base *yaml.Node) {
	spec := get(object, "spec")
	if spec == nil {
		set(object, "spec", base)
		return
	}
	merge(base, spec)
	spec.Content = base.Content
}

// merge adds the values of over to those of under. If both have a value, that of over
// stays.
func merge(under, over *yaml.Node) {
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		if below := get(under, key.Value); below != nil && below.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
			merge(below, value)
			continue
		} else if below != nil && below.Kind == yaml.SequenceNode && value.Kind == yaml.SequenceNode && len(below.Content) > 0 && len(value.Content) > 0 &&
			below.Content[0].Kind == yaml.MappingNode && value.Content[0].Kind == yaml.MappingNode {
			merge(below.Content[0], value.Content[0])
			continue
		}
		remove(under, key.Value)
		under.Content = append(under.Content, key, value)
	}
}

// refusalExpected says whether an operation is expected to fail: one of its checks says
// that $error is not null.
func refusalExpected(expect *yaml.Node) bool {
	found := false
	eachExpression(expect, func(n *dialect.Node) {
		if n.NodeType == parsing.ASTComparator && n.Value == parsing.TOKNE {
			name, ok := variableIn(&n.Children[0])
			right := n.Children[1]
			found = found || ok && name == "error" && right.NodeType == parsing.ASTField && right.Value == "null"
		}
	})
	return found
}

// mayFail says whether an operation is expected to fail, or may fail: one of its checks
// uses $error.
func mayFail(expect *yaml.Node) bool {
	found := false
	eachExpression(expect, func(n *dialect.Node) {
		name, ok := variableIn(n)
		found = found || ok && name == "error"
	})
	return found
}

// refused returns a field that the implementation does not have, and whose refusal an
// operation expects. It is a field that the expected message names, or else any field of
// the object.
func (m *mapper) refused(resource, expect *yaml.Node) string {
	var said []string
	eachExpression(expect, func(n *dialect.Node) {
		if value, ok := n.Value.(string); ok && n.NodeType == parsing.ASTLiteral {
			if field, ok := strings.CutPrefix(value, "spec."); ok && referenceSpec[field] {
				said = append(said, field)
			}
		}
	})
	if len(said) == 0 {
		for field := range referenceSpec {
			if get(get(resource, "spec"), field) != nil {
				said = append(said, field)
			}
		}
	}
	slices.Sort(said)
	for _, field := range said {
		missing := get(get(resource, "spec"), field) == nil
		if mapped := m.spec[field]; mapped.Path == "" || mapped.Optional && missing {
			return field
		}
	}
	return ""
}

// eachExpression calls f for every part of every expression below a node. Expressions
// outside of the dialect are reported elsewhere.
func eachExpression(n *yaml.Node, f func(*dialect.Node)) {
	var each func(*dialect.Node)
	each = func(n *dialect.Node) {
		f(n)
		for i := range n.Children {
			each(&n.Children[i])
		}
	}
	eachScalar(n, func(s *yaml.Node) {
		if text, err := dialect.ParseKey(s.Value); err == nil && text.Expression != nil {
			each(text.Expression)
		}
	})
}

// onlyLabels says whether a patch changes labels or annotations, and nothing else. One that
// also changes the finalizers, for example, is about the object and not about its children.
func onlyLabels(patch *yaml.Node) bool {
	metadata, labels := get(patch, "metadata"), false
	if get(patch, "spec") != nil || metadata == nil {
		return false
	}
	for i := 0; i < len(metadata.Content); i += 2 {
		switch metadata.Content[i].Value {
		case "labels", "annotations":
			labels = true
		case "name", "namespace":
		default:
			return false
		}
	}
	return labels
}
