package render

import (
	"fmt"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/scenario/dialect"
)

// containerVariable is an environment variable of a command. It holds the name of the
// first container.
const containerVariable = "CONTAINER"

// container returns the implementation's name for a container that a scenario names in the
// Deployment of a primary.
func (m *mapper) container(name, of string) (string, error) {
	deployment := m.profile.Spec.Contract.Children.Deployment
	switch {
	case name != referenceContainer:
		if m.kubectl != nil && deployment.FirstContainer {
			m.added = name
		}
		return name, nil
	case !deployment.FirstContainer:
		return m.containerOf(of)
	case m.kubectl == nil:
		return "", m.skip("it needs the container's name, and the profile says only that it is the first")
	}
	m.kubectl.first = of
	return "$" + containerVariable, nil
}

// containerOf returns the name of the container in the Deployment of a primary. If it is
// not known which primary, the name must be the same for all primaries.
func (m *mapper) containerOf(of string) (string, error) {
	if of != "" {
		p := m.primaries[of]
		switch {
		case p == nil:
			return referenceContainer, nil // in a Deployment of the scenario's own
		case p.unnamed != nil:
			return "", m.skip("the container of %s cannot be named: %v", of, p.unnamed)
		}
		return p.container, nil
	}
	found := ""
	for _, p := range m.primaries {
		if p.unnamed != nil || found != "" && p.container != found {
			return "", m.skip("it does not say whose container it means, and their names are different")
		}
		found = p.container
	}
	if found == "" {
		return referenceContainer, nil
	}
	return found, nil
}

// firstContainer makes the command look up the name of the container.
func (k *kubectl) firstContainer(body *yaml.Node) error {
	deployment, err := k.childName(kindDeployment, k.first)
	if err != nil {
		return err
	}
	if isExpression(deployment) {
		return k.skip("it needs the name of a container in a Deployment whose name is computed")
	}
	env := get(body, "env")
	if env == nil {
		env = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		set(body, "env", env)
	}
	env.Content = append(env.Content, mapping(str("name"), str(containerVariable), str("value"),
		str(fmt.Sprintf("(x_k8s_get($client, '%s', '%s', $namespace, '%s').%s.spec.containers[0].name)",
			groupVersion(k.workload.Group, k.workload.Version), k.workload.Kind, deployment, k.workload.PodTemplate))))
	return nil
}

// isFirstContainer says whether a filter on a list of containers selects the container
// that runs the image, in an implementation where that is the first container.
func (e *evaluation) isFirstContainer(n *dialect.Node, element shape) bool {
	if n.NodeType != parsing.ASTFilterProjection || !e.profile.Spec.Contract.Children.Deployment.FirstContainer {
		return false
	}
	means, _ := element.field("name").means()
	condition := n.Children[2]
	if means.sense != namesContainer || condition.NodeType != parsing.ASTComparator || condition.Value != parsing.TOKEQ {
		return false
	}
	left, right := condition.Children[0], condition.Children[1]
	if left.NodeType == parsing.ASTLiteral {
		left, right = right, left
	}
	return left.NodeType == parsing.ASTField && left.Value == "name" &&
		right.NodeType == parsing.ASTLiteral && right.Value == referenceContainer
}

// takeFirst turns a filter into a slice that has only the first element.
func takeFirst(n *dialect.Node) {
	zero, one := 0, 1
	slice := dialect.Node{NodeType: parsing.ASTSlice, Value: []*int{&zero, &one, nil}}
	first := dialect.Node{NodeType: parsing.ASTIndexExpression, Children: []dialect.Node{n.Children[0], slice}}
	*n = dialect.Node{NodeType: parsing.ASTProjection, Children: []dialect.Node{first, n.Children[1]}}
}
