package render

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mostReplicas is the key of the last number of replicas of an object, among the known
// values of its fields.
const mostReplicas = "most replicas"

// onlyGrows says whether the implementation never lowers the number of replicas.
func (m *mapper) onlyGrows() bool { return m.spec["replicas"].GrowOnly }

// growth skips a scenario that lowers the replicas of a primary, or may lower them, if the
// implementation only lets them grow. It stores what it knows about the object in known.
func (m *mapper) growth(kind string, first bool, resource *yaml.Node, known map[string]string) error {
	value := at(resource, "spec", "replicas")
	if !m.onlyGrows() || value == nil && (kind == "patch" || first) {
		return nil
	}
	if value != nil {
		if written := m.scope.literal(value); written != nil {
			value = written
		}
	}
	last, hadOne := known[mostReplicas]
	number, err := m.replicasOf(value)
	before, _ := strconv.Atoi(last)
	switch {
	case first && err == nil:
		known[mostReplicas] = strconv.Itoa(number)
	case first: // what is computed may be any number
		known[mostReplicas] = strconv.Itoa(anyNumber)
	case !hadOne || err != nil || number < before:
		return m.skip("it changes replicas of %s, which only grow in this implementation", text(resource, "metadata", "name"))
	default:
		known[mostReplicas] = strconv.Itoa(number)
	}
	return nil
}

// anyNumber stands for an unknown number: no other number is certain to be as large.
const anyNumber = 1<<31 - 1

// replicasOf returns the number of replicas in a value, or the default if the value is
// nil.
func (m *mapper) replicasOf(value *yaml.Node) (int, error) {
	if value != nil {
		return strconv.Atoi(value.Value)
	}
	if byDefault := m.profile.Spec.Contract.Defaults.Replicas; byDefault != nil {
		return int(*byDefault), nil
	}
	return 1, nil
}

// scales skips a scenario that changes the replicas of a child, if the implementation only
// lets them grow. Such an implementation would not set a child back to fewer replicas.
func (m *mapper) scales(kind string, object objectKind, resource *yaml.Node) error {
	if !m.onlyGrows() || object != kindDeployment || kind == "create" || at(resource, "spec", "replicas") == nil {
		return nil
	}
	return m.skip("it scales Deployment %s, and the replicas only grow in this implementation", text(resource, "metadata", "name"))
}

// scales skips a scenario in which kubectl changes the replicas of an object, if the
// implementation only lets them grow.
func (k *kubectl) scales() error {
	if !k.onlyGrows() || k.Verb == "get" {
		return nil
	}
	for _, argument := range k.Arguments {
		if argument.Flag == nil {
			continue
		}
		patches := argument.Flag.Name == "patch" && strings.Contains(argument.Flag.Value, `"replicas"`)
		if patches || slices.Contains([]string{"replicas", "current-replicas"}, argument.Flag.Name) {
			return k.skip("it scales by kubectl, and the replicas only grow in this implementation")
		}
	}
	return nil
}
