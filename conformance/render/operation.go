package render

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// operationKinds are what Chainsaw can do.
var operationKinds = names("apply", "assert", "command", "create", "delete", "describe", "error", "events", "get",
	"patch", "podLogs", "proxy", "script", "sleep", "update", "wait")

// split finds out what an operation does.
func split(operation *yaml.Node) (kind string, body *yaml.Node) {
	for i := 0; operation.Kind == yaml.MappingNode && i+1 < len(operation.Content); i += 2 {
		if key := operation.Content[i].Value; operationKinds[key] {
			return key, operation.Content[i+1]
		}
	}
	return "", nil
}

// operation maps one operation and says whether it is kept.
func (m *mapper) operation(operation *yaml.Node) (keep bool, err error) {
	kind, body := split(operation)
	if kind == "" {
		return false, m.scenario.problemIn(operation, operation, "not an operation that Chainsaw knows")
	}
	m.words(get(operation, "description"))
	switch kind {
	case "apply", "create", "update", "patch":
		resource := get(body, "resource")
		if resource == nil {
			return false, m.scenario.problemIn(operation, body, "%s: the resource must be given in place, not in a file", kind)
		}
		return m.mutation(kind, body, resource)
	case "assert", "error":
		resource := get(body, "resource")
		if resource == nil {
			return false, m.scenario.problemIn(operation, body, "%s: the resource must be given in place, not in a file", kind)
		}
		return m.check(kind, body, resource)
	case "delete":
		ref := get(body, "ref")
		if ref == nil {
			return false, m.scenario.problemIn(operation, body, "delete: the object must be given as a ref, not in a file")
		}
		return m.deletion(body, ref)
	case "wait", "get", "describe":
		return m.look(kind, body)
	case "command":
		return m.command(body)
	default:
		m.words(body)
		return true, nil
	}
}

// mutation maps apply, create, update and patch.
func (m *mapper) mutation(kind string, body, resource *yaml.Node) (bool, error) {
	object := kindOf(resource)
	if object == kindService && m.noService() {
		return false, m.skip("it changes Service %s, and the implementation makes none", text(resource, "metadata", "name"))
	}
	switch object {
	case kindPrimary:
		return m.primaryMutation(kind, body, resource)
	case kindObservation:
		return m.observation(resource)
	case kindDeployment, kindService:
		if _, err := m.child(object, resource, false); err != nil {
			return false, err
		}
	case kindTraffic, kindFault:
		if err := m.traffic(resource); err != nil {
			return false, err
		}
	case kindSnapshot:
		if err := m.snapshot(resource); err != nil {
			return false, err
		}
	case kindLoad:
		return m.load(body, resource)
	}
	m.words(body)
	return true, m.references(resource)
}

// check maps assert and error.
func (m *mapper) check(kind string, body, resource *yaml.Node) (bool, error) {
	object := kindOf(resource)
	switch object {
	case kindService, kindDeployment:
		if object == kindService && m.noService() {
			return false, nil
		}
		lost, err := m.child(object, resource, true)
		if err != nil {
			return false, err
		}
		if lost && kind == "error" {
			// With a part of its pattern gone, it would refuse more than it did.
			return false, nil
		}
	case kindPrimary:
		if err := m.primaryCheck(resource); err != nil {
			return false, err
		}
	case kindObservation:
		if m.dropped[text(resource, "metadata", "name")] {
			return false, nil
		}
	}
	if object != kindSubject && object != kindLoad {
		m.checks++
	}
	m.words(body)
	return true, m.references(resource)
}

// deletion maps delete.
func (m *mapper) deletion(body, ref *yaml.Node) (bool, error) {
	object, name := kindOf(ref), get(ref, "name")
	if object == kindService && m.noService() {
		return false, m.skip("it deletes Service %s, and the implementation makes none", text(ref, "name"))
	}
	if object == kindPrimary {
		delete(m.known, text(ref, "namespace")+"/"+text(ref, "name"))
	}
	m.words(body)
	return true, m.nameChild(object, name)
}

// look maps wait, get and describe.
func (m *mapper) look(kind string, body *yaml.Node) (bool, error) {
	object := kindOf(body)
	if object == kindService && m.noService() {
		return false, nil
	}
	if object == kindPrimary {
		if text(body, "for", "condition", "name") != "" && m.status["conditions"].Path == "" {
			return false, m.skip("it waits for a condition, and the implementation has none")
		}
		if jsonPath := at(body, "for", "jsonPath"); jsonPath != nil {
			if strings.Contains(text(jsonPath, "path"), "phase") {
				m.phase(get(jsonPath, "value"))
			}
			if err := m.pathsIn(get(jsonPath, "path")); err != nil {
				return false, err
			}
		}
	}
	if kind == "wait" {
		m.checks++
	}
	m.words(body)
	return true, m.nameChild(object, get(body, "name"))
}

func (m *mapper) nameChild(object objectKind, name *yaml.Node) error {
	if name == nil || object != kindDeployment && object != kindService {
		return nil
	}
	renamed, err := m.childName(object, name.Value)
	if err != nil {
		return err
	}
	name.Value = renamed
	return nil
}
