package render

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// childFields says which field of the reference spec shows in a field of a
// child.
var childFields = map[string]string{
	"image":    "image",
	"replicas": "replicas", "readyReplicas": "replicas", "availableReplicas": "replicas", "updatedReplicas": "replicas",
	"ports": "port", "port": "port", "containerPort": "port", "targetPort": "port",
	"env":     "env",
	"envFrom": "configMapRef",
}

// notContent are the parts of a child where a key is a name and no field.
var notContent = names("metadata", "labels", "annotations", "selector", "matchLabels", "nodeSelector")

// child maps a Deployment, a Service or an EndpointSlice. Of a pattern it drops
// what shows a field that the implementation does not have, and says so; an
// object that the scenario itself makes or changes keeps everything.
func (m *mapper) child(kind objectKind, resource *yaml.Node, pattern bool) (lost bool, err error) {
	if text(resource, "kind") != "EndpointSlice" {
		if err := m.nameChild(kind, at(resource, "metadata", "name")); err != nil {
			return false, err
		}
	}
	if err := m.nameChild(kindService, at(resource, "metadata", "labels", "kubernetes.io/service-name")); err != nil {
		return false, err
	}
	return m.content(resource, pattern), nil
}

// content maps the fields of a child that show fields of the primary.
func (m *mapper) content(n *yaml.Node, pattern bool) (lost bool) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			lost = m.content(item, pattern) || lost
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); {
			key, value := n.Content[i], n.Content[i+1]
			if notContent[key.Value] {
				i += 2
				continue
			}
			if pattern && m.absent(key.Value) {
				n.Content = slices.Delete(n.Content, i, i+2)
				lost = true
				continue
			}
			key.Value = m.containerIn(key.Value)
			m.constants(key, value)
			if key.Value == "containers" || strings.Contains(key.Value, "containers[") {
				m.containers(value)
			}
			lost = m.content(value, pattern) || lost
			i += 2
		}
	}
	return lost
}

var fieldWord = regexp.MustCompile(`[A-Za-z]+`)

// shown are the reference fields that show in a key, which may be an
// expression.
func shown(key string) []string {
	var fields []string
	for _, w := range fieldWord.FindAllString(key, -1) {
		if field, ok := childFields[w]; ok {
			fields = append(fields, field)
		}
	}
	return fields
}

// absent says whether a key shows a field that the implementation does not
// have. An expression that only compares fields of the child with each other
// holds for any child.
func (m *mapper) absent(key string) bool {
	if isExpression(key) && !strings.ContainsAny(key, "'\"`$") && strings.Contains(key, "==") {
		return false
	}
	return slices.ContainsFunc(shown(key), func(field string) bool {
		_, has := m.spec[field]
		return !has
	})
}

// constants puts a constant where a child is expected to show what the scenario
// gave the primary.
func (m *mapper) constants(key, value *yaml.Node) {
	for _, field := range shown(key.Value) {
		constant, ok := m.constantOf(field)
		if !ok {
			continue
		}
		for used := range m.used[field] {
			for _, quote := range []string{"'", "\"", "`"} {
				key.Value = strings.ReplaceAll(key.Value, quote+used+quote, quote+constant.Value+quote)
			}
		}
		if value.Kind == yaml.ScalarNode && m.used[field][value.Value] {
			*value = *constant
		}
		if value.Kind == yaml.SequenceNode {
			for i, item := range value.Content {
				if item.Kind == yaml.ScalarNode && m.used[field][item.Value] {
					value.Content[i] = clone(constant)
				}
			}
		}
	}
}

// containers gives the container its name in a list of containers.
func (m *mapper) containers(list *yaml.Node) {
	if list.Kind != yaml.SequenceNode {
		return
	}
	for _, container := range list.Content {
		if name := get(container, "name"); name != nil && name.Value == referenceContainer {
			name.Value = m.profile.Spec.Contract.Children.Deployment.Container
		} else if container.Kind == yaml.ScalarNode && container.Value == referenceContainer {
			container.Value = m.profile.Spec.Contract.Children.Deployment.Container
		}
	}
}

// references maps the names in references to children: owner references, and
// what Events are about.
func (m *mapper) references(n *yaml.Node) error {
	for _, kind := range []struct {
		name   string
		object objectKind
	}{{"Deployment", kindDeployment}, {"Service", kindService}} {
		if err := m.referencesTo(n, kind.name, kind.object, false); err != nil {
			return err
		}
	}
	return nil
}

func (m *mapper) referencesTo(n *yaml.Node, kind string, object objectKind, filtered bool) error {
	if n.Kind == yaml.MappingNode && get(n, "metadata") == nil && (filtered || text(n, "kind") == kind) {
		if err := m.nameChild(object, get(n, "name")); err != nil {
			return err
		}
	}
	for i, child := range n.Content {
		inFilter := filtered
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			key := n.Content[i-1].Value
			inFilter = isExpression(key) && (strings.Contains(key, "'"+kind+"'") || strings.Contains(key, `"`+kind+`"`))
		}
		if err := m.referencesTo(child, kind, object, inFilter); err != nil {
			return err
		}
	}
	return nil
}
