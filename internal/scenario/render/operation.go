package render

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// operationKinds are the Chainsaw operations that scenarios may use.
var operationKinds = names("apply", "assert", "command", "create", "delete", "describe", "error", "events", "get",
	"patch", "podLogs", "sleep", "update", "wait")

// operationKeys are the keys of a step, each with a list of operations.
var operationKeys = []string{"try", "catch", "finally", "cleanup"}

// operationsOf returns all operations of a step, in the order in which they are carried out.
func operationsOf(step *yaml.Node) iter.Seq[*yaml.Node] {
	return func(yield func(*yaml.Node) bool) {
		for _, key := range operationKeys {
			for _, operation := range list(get(step, key)) {
				if !yield(operation) {
					return
				}
			}
		}
	}
}

// split returns the kind of an operation, and its body.
func split(operation *yaml.Node) (kind string, body *yaml.Node) {
	for i := 0; operation.Kind == yaml.MappingNode && i+1 < len(operation.Content); i += 2 {
		if key := operation.Content[i].Value; operationKinds[key] {
			return key, operation.Content[i+1]
		}
	}
	return "", nil
}

// unknownOperation says what stands in the place of an operation, and what may stand there.
func unknownOperation(operation *yaml.Node) string {
	known := slices.Sorted(maps.Keys(operationKinds))
	given := ""
	for i := 0; operation.Kind == yaml.MappingNode && i < len(operation.Content) && given == ""; i += 2 {
		given = operation.Content[i].Value
	}
	return fmt.Sprintf("%q is not an operation that scenarios may have%s; they may have: %s", given, nearest.Question(given, known), strings.Join(known, ", "))
}

// operation maps one operation and says whether it stays in the test.
func (m *mapper) operation(operation *yaml.Node) (keep bool, err error) {
	kind, body := split(operation)
	if m.verbatim[operation] {
		return true, nil
	}
	if kind == "" {
		return false, m.scenario.problemIn(operation, operation, "%s", unknownOperation(operation))
	}
	m.current = operation
	step := m.scope
	m.scope = step.inner()
	defer func() { m.scope = step }()
	if err := m.define(get(body, "bindings"), nil, m.scope); err != nil {
		return false, err
	}
	switch kind {
	case "apply", "create", "update", "patch", "assert", "error":
		resource := get(body, "resource")
		if resource == nil && get(body, "file") == nil {
			return false, m.at(body, fmt.Errorf("%s has no resource: write the object below \"resource:\"", kind))
		} else if resource == nil {
			return false, m.at(body, fmt.Errorf("%s: the resource must be given in place, not in a file", kind))
		}
		object := kindOf(resource)
		m.recordPods(object)
		if err := m.serves(object); err != nil {
			return false, err
		}
		if kind == "assert" || kind == "error" {
			keep, err = m.check(kind, object, resource)
		} else {
			keep, err = m.mutation(kind, body, object, resource)
		}
		if err != nil || !keep {
			return false, err
		}
		return true, m.define(get(body, "outputs"), shape{{place: place{kind: object}}}, step)
	case "delete":
		ref := get(body, "ref")
		if ref == nil {
			return false, m.at(body, errors.New("delete: the object must be given as a ref, not in a file"))
		}
		return m.deletion(body, ref)
	case "wait", "get", "describe":
		return m.look(kind, body)
	case "command":
		return m.command(body, step)
	default:
		return true, m.objectTree(body, nil)
	}
}

// mutation maps apply, create, update and patch.
func (m *mapper) mutation(kind string, body *yaml.Node, object objectKind, resource *yaml.Node) (bool, error) {
	if m.missing(object) {
		return false, m.skip("it changes Service %s, and the implementation makes none", text(resource, "metadata", "name"))
	}
	keep := true
	var err error
	switch object {
	case kindPrimary:
		keep, err = m.primaryMutation(kind, body, resource)
	case kindObservation:
		keep, err = m.observation(resource)
	case kindTraffic, kindFault:
		err = m.matching(resource, "match")
	case kindDisruption:
		err = m.matching(resource, "while")
	case kindSnapshot:
		err = m.snapshot(resource)
	case kindLoad:
		keep, err = m.load(resource)
	case kindDrift:
		keep, err = m.drift(resource)
	case kindPolicy:
		err = m.policy(resource)
	case kindTrial:
		// It is written in the terms of the controller that it was recorded with.
	default:
		err = m.otherMutation(kind, object, resource)
	}
	if err != nil || !keep {
		return false, err
	}
	if object != kindPrimary && refusalExpected(get(body, "expect")) {
		m.refusals++ // a primary's refusal is counted in primaryMutation
	}
	return true, m.answer(object, get(body, "expect"))
}

// otherMutation maps the object that is written, unless it is a primary or an object of the bench.
func (m *mapper) otherMutation(kind string, object objectKind, resource *yaml.Node) error {
	if err := m.scales(kind, object, resource); err != nil {
		return err
	}
	name, creates := text(resource, "metadata", "name"), kind == "create" || kind == "apply"
	if (object == kindDeployment || object == kindService) && creates {
		m.foreign[namedObject{object, name}] = true
	} else if get(resource, "spec") != nil {
		if err := m.ended(object, name, "changes"); err != nil {
			return err
		}
	}
	err := m.objectTree(resource, child(object, m.nameOf(at(resource, "metadata", "name"))))
	if err == nil && object == kindDeployment && creates {
		err = m.workloadBase(resource)
	}
	return err
}

// answer maps what a step expects of the API server's answer to a write.
func (m *mapper) answer(object objectKind, expects *yaml.Node) error {
	outer := m.scope
	m.scope = outer.inner()
	defer func() { m.scope = outer }()
	if object == kindPrimary {
		m.scope.own["error"] = variable{shape: shape{{place: place{kindPrimary, errorOfCall}}}}
	}
	for _, expect := range list(expects) {
		if _, err := m.patternTree(get(expect, "match"), shape{{place: place{kind: object}}}); err != nil {
			return err
		}
		if err := m.checked(get(expect, "check"), shape{{place: place{kind: object}}}); err != nil {
			return err
		}
	}
	return nil
}

// check maps assert and error.
func (m *mapper) check(kind string, object objectKind, resource *yaml.Node) (bool, error) {
	if m.missing(object) || (object == kindObservation || object == kindDrift) && m.dropped[text(resource, "metadata", "name")] {
		return false, nil
	}
	m.values.elsewhere = object == kindSubject // its replicas are the controller's
	lost, err := m.patternTree(resource, child(object, m.nameOf(at(resource, "metadata", "name"))))
	m.values.elsewhere = false
	if err != nil {
		return false, err
	}
	if len(resource.Content) == 0 {
		return false, nil // nothing is left to look at
	}
	if lost && kind == "error" {
		// Without a part of its pattern, it would match more objects than before.
		return false, nil
	}
	if kind == "error" {
		m.leaveShared(resource)
	}
	one := text(resource, "kind") + " " + m.identity(at(resource, "metadata", "namespace"), at(resource, "metadata", "name"))
	switch {
	case lost && m.asserted[one] && onlyNames(resource):
		m.emptied++
	case object != kindSubject && object != kindLoad:
		m.checks++
	}
	m.asserted[one] = kind == "assert"
	return true, nil
}

// onlyNames tells whether a pattern says nothing of an object but its kind and its name.
func onlyNames(pattern *yaml.Node) bool {
	for i := 0; i+1 < len(pattern.Content); i += 2 {
		key, value := pattern.Content[i].Value, pattern.Content[i+1]
		switch key {
		case "apiVersion", "kind":
		case "metadata":
			for j := 0; j+1 < len(value.Content); j += 2 {
				if name := value.Content[j].Value; name != "name" && name != "namespace" {
					return false
				}
			}
		default:
			if value.Kind != yaml.MappingNode || len(value.Content) > 0 {
				return false
			}
		}
	}
	return true
}

// deletion maps delete.
func (m *mapper) deletion(body, ref *yaml.Node) (bool, error) {
	clear(m.asserted)
	object := kindOf(ref)
	if m.missing(object) {
		return false, m.skip("it deletes Service %s, and the implementation makes none", text(ref, "name"))
	}
	if object == kindPrimary {
		delete(m.known, m.identity(get(ref, "namespace"), get(ref, "name")))
	}
	if err := m.ended(object, text(ref, "name"), "deletes"); err != nil {
		return false, err
	}
	if err := m.reference(object, ref); err != nil {
		return false, err
	}
	for _, expect := range list(get(body, "expect")) {
		if err := m.checked(get(expect, "check"), nil); err != nil {
			return false, err
		}
	}
	return true, nil
}

// look maps wait, get and describe.
func (m *mapper) look(kind string, body *yaml.Node) (bool, error) {
	object := kindOf(body)
	if m.missing(object) {
		return false, nil
	}
	if object == kindPrimary && text(body, "for", "condition", "name") != "" {
		if _, _, err := m.moved("status", "conditions"); err != nil {
			return false, m.skip("it waits for a condition, and the implementation has none")
		}
	}
	if jsonPath := at(body, "for", "jsonPath"); jsonPath != nil {
		path := get(jsonPath, "path")
		if path == nil {
			return false, m.at(jsonPath, errors.New("a jsonPath needs a path"))
		}
		s, err := m.jsonPath(path, child(object, m.nameOf(get(body, "name"))))
		if err == nil {
			err = (&tree{mapper: m}).node(get(jsonPath, "value"), s)
		}
		if err != nil {
			return false, m.at(jsonPath, err)
		}
	}
	if kind == "wait" {
		m.checks++
	}
	return true, m.reference(object, body)
}

// jsonPath maps a JSONPath in an object, and returns the shape of what it leads to.
func (m *mapper) jsonPath(n *yaml.Node, s shape) (shape, error) {
	path, err := dialect.ParseJSONPath(n.Value)
	if err != nil {
		return nil, err
	}
	mapped, s, err := m.steps(path, s)
	if err == nil && mapped.String() != path.String() {
		n.SetString(mapped.String())
	}
	return s, err
}

// steps maps the steps of a JSONPath.
func (m *mapper) steps(path dialect.JSONPath, s shape) (mapped dialect.JSONPath, to shape, err error) {
	for _, step := range path.Steps {
		if step[0] == '[' {
			mapped.Steps, s = append(mapped.Steps, step), s.element()
			continue
		}
		moved, err := m.fieldOf(s, step)
		if err != nil {
			return mapped, nil, err
		}
		mapped.Steps, s = append(mapped.Steps, moved...), s.field(step)
	}
	if absent := m.absent(s); len(absent) > 0 {
		return mapped, nil, m.skip("it looks at %s of a child, which %s", absent[0], m.lacks(absent[0]))
	}
	return mapped, s, nil
}

// reference maps what names an object: apiVersion, kind, name and namespace.
func (m *mapper) reference(object objectKind, ref *yaml.Node) error {
	if to := m.profile.Spec.Contract.Resource; object == kindPrimary {
		set(ref, "apiVersion", str(to.Group+"/"+to.Version))
		set(ref, "kind", str(to.Kind))
	} else if object == kindDeployment && !m.makesDeployments() {
		set(ref, "apiVersion", str(groupVersion(m.workload.Group, m.workload.Version)))
		set(ref, "kind", str(m.workload.Kind))
	}
	for _, key := range []string{"namespace", "timeout"} {
		if n := get(ref, key); n != nil {
			if err := m.plain(n); err != nil {
				return err
			}
		}
	}
	return m.nameChild(object, get(ref, "name"))
}

// nameChild maps the name of an object of a kind.
func (m *mapper) nameChild(object objectKind, name *yaml.Node) error {
	if name == nil {
		return nil
	}
	return m.at(name, (&tree{mapper: m}).node(name, shape{{place: place{object, "metadata.name"}}}))
}
