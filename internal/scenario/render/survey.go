package render

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile"
)

// placeholder stands for the name of a primary while a template is expanded, because the
// name may be an expression. Nobody would write it in a template.
const placeholder = "\x00the name of the primary\x00"

// ownNamespace stands for the namespace of the scenario in the same way.
const ownNamespace = "\x00the namespace of the scenario\x00"

// survey finds the primaries of a scenario, the names of their children, and the values
// that their specs get.
func (m *mapper) survey(spec *yaml.Node) error {
	test := m.scope.inner()
	m.declare(test, get(spec, "bindings"))
	before := m.scope
	defer func() { m.scope = before }()
	// Children get their names from the specs of primaries, so these are read first.
	for _, making := range []bool{true, false} {
		for _, step := range list(get(spec, "steps")) {
			if err := m.surveyStep(step, test.inner(), making); err != nil {
				return err
			}
		}
	}
	m.current = nil
	return nil
}

// surveyStep records the operations of a step: only those that make objects, or only the
// others.
func (m *mapper) surveyStep(step *yaml.Node, inStep *scope, making bool) error {
	m.declare(inStep, get(step, "bindings"))
	for _, key := range operationKeys {
		for _, operation := range list(get(step, key)) {
			kind, body := split(operation)
			m.current, m.scope = operation, inStep.inner()
			m.declare(m.scope, get(body, "bindings"))
			if (key == "try" && (kind == "apply" || kind == "create")) != making {
				continue
			}
			if err := m.recordOperation(kind, body); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOperation records the primaries in an operation.
func (m *mapper) recordOperation(kind string, body *yaml.Node) error {
	resource := get(body, "resource")
	switch kind {
	case "apply", "create", "update", "patch":
		switch kindOf(resource) {
		case kindPrimary:
			if !mayFail(get(body, "expect")) { // otherwise it need not fit the bounds
				m.recordBounds(resource)
			}
			return m.recordPrimary(resource)
		case kindLoad:
			return m.recordLoad(resource)
		}
		return nil
	}
	for _, named := range []*yaml.Node{get(resource, "metadata"), get(body, "ref"), body} {
		if kindOf(resource) == kindPrimary || kindOf(named) == kindPrimary {
			m.nameChildren(m.nameOf(get(named, "name")), nil)
			return nil
		}
	}
	return nil
}

// nameOf returns the name of an object as it is written down, or else the expression that
// makes it.
func (m *mapper) nameOf(n *yaml.Node) string {
	if value := m.scope.literal(n); value != nil {
		return value.Value
	}
	if n == nil {
		return ""
	}
	return n.Value
}

// recordBounds records which values the bounds of the controller must allow.
func (m *mapper) recordBounds(primary *yaml.Node) {
	for field := range referenceSpec {
		if value := at(primary, "spec", field); value != nil {
			m.recordGiven(field, value)
		}
	}
}

// recordPrimary records the values that a primary gets.
func (m *mapper) recordPrimary(resource *yaml.Node) error {
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
		written := m.scope.literal(value)
		if written != nil {
			m.used[field][written.Value] = true
			value = written
		}
		if path := m.spec[field].Path; path != "" {
			var v any
			if err := value.Decode(&v); err != nil {
				return m.at(value, err)
			}
			nest(values, profile.Steps(path)[1:], v)
		}
	}
	name := m.nameOf(at(resource, "metadata", "name"))
	m.nameChildren(name, values)
	if renamed := m.nameOf(get(spec, "deploymentName")); renamed != "" {
		m.primaries[renamed] = m.childrenOf(name, values) // by the name that the scenario gives its Deployment
	}
	return nil
}

// recordPods records that a scenario uses Pods or their endpoints. Their number is the
// number of replicas.
func (m *mapper) recordPods(kind objectKind) {
	if kind == kindPod || kind == kindEndpointSlice {
		m.values.recordComputed("replicas")
	}
}

// nest puts a value at a path below a map.
func nest(into map[string]any, path []string, value any) {
	into[path[0]] = nested(into[path[0]], path[1:], value)
}

// nested returns a value with another value put at a path below it.
func nested(into any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if path[0] == profile.First {
		list, _ := into.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = nested(list[0], path[1:], value)
		return list
	}
	object, ok := into.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	nest(object, path, value)
	return object
}

// nameChildren gives the children of a primary their names, if they have none yet.
func (m *mapper) nameChildren(name string, spec map[string]any) {
	if name == "" || m.primaries[name] != nil {
		return
	}
	m.primaries[name] = m.childrenOf(name, spec)
}

// childrenOf returns the names of the children of a primary with this spec.
func (m *mapper) childrenOf(name string, spec map[string]any) *primary {
	base, err := m.profile.Base(placeholder)
	if err != nil {
		return &primary{unnamed: errorOf(err, name)}
	}
	overlay(base, spec)
	deployment, service, err := m.profile.ChildNames(placeholder, base)
	container, err2 := m.profile.Container(placeholder, base)
	return &primary{
		deployment: fill(deployment, name), service: fill(service, name), container: fill(container, name),
		unnamed: errorOf(errors.Join(err, err2), name),
	}
}

// errorOf returns an error with the name in the place of the placeholder, or nil.
func errorOf(err error, name string) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), placeholder, name))
}

// overlay puts the values of over into under, map by map.
func overlay(under, over map[string]any) {
	for key, value := range over {
		below, isMap := under[key].(map[string]any)
		mine, areMaps := value.(map[string]any)
		if isMap && areMaps {
			overlay(below, mine)
			continue
		}
		under[key] = value
	}
}

// fill puts a name in the place of the placeholder, in the result of a template, and the
// namespace of the scenario in the place of ownNamespace.
func fill(s, name string) string {
	if !isExpression(name) {
		s = strings.ReplaceAll(s, placeholder, name)
	}
	expressions := map[string]string{placeholder: name, ownNamespace: "($namespace)"}
	if expression, whole := expressions[s]; whole {
		return expression
	}
	var parts []string
	for rest := s; ; {
		at, found := len(rest), ""
		for stands := range expressions {
			if i := strings.Index(rest, stands); i >= 0 && i < at {
				at, found = i, stands
			}
		}
		if found == "" && parts == nil {
			return s
		}
		if at > 0 {
			parts = append(parts, inQuotes(rest[:at]))
		}
		if found == "" {
			return fmt.Sprintf("(join('', [%s]))", strings.Join(parts, ", "))
		}
		parts = append(parts, strings.TrimSuffix(strings.TrimPrefix(expressions[found], "("), ")"))
		rest = rest[at+len(found):]
	}
}

// inQuotes returns a part of a name or a text as an expression.
func inQuotes(part string) string {
	if strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == '\'' || r == '\\' }) {
		return literal(part)
	}
	return "'" + part + "'"
}
