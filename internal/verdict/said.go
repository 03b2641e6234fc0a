package verdict

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// operation is an operation of a scenario that compares an object.
type operation struct {
	Description string      `json:"description"`
	Assert      *comparison `json:"assert"`
	Error       *comparison `json:"error"`
}

type comparison struct {
	Resource map[string]any `json:"resource"`
}

// step of a scenario, with its operations.
type step struct {
	Name string      `json:"name"`
	Try  []operation `json:"try"`
}

// stepsOf reads the steps of a scenario.
func stepsOf(raw []byte) ([]step, error) {
	var scenario struct {
		Spec struct {
			Steps []step `json:"steps"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(raw, &scenario); err != nil {
		return nil, fmt.Errorf("reading a scenario: %w", err)
	}
	return scenario.Spec.Steps, nil
}

// described returns what the scenario says of the operation that failed, if the operation
// compares no object, but the values of expressions. These are hard to read. If a step has
// several such operations, it is the one whose expression the failure names. It returns ""
// if the scenario says nothing, or if it is not certain which operation failed.
func (c *Case) described(failure chainsaw.Failure) string {
	if failure.Object != noObject {
		return ""
	}
	steps, err := stepsOf(c.Requirement.Raw)
	if err != nil {
		return ""
	}
	var found, named []string
	for _, step := range steps {
		for _, one := range step.Try {
			compared := one.Assert
			if failure.Operation == "error" {
				compared = one.Error
			}
			if step.Name == failure.Step && compared != nil && compared.Resource["kind"] == nil {
				said := strings.TrimSpace(one.Description)
				found = append(found, said)
				if compared.named(failure.Message) {
					named = append(named, said)
				}
			}
		}
	}
	for _, all := range [][]string{slices.Compact(named), slices.Compact(found)} {
		if len(all) == 1 {
			return all[0]
		}
	}
	return ""
}

// named says whether a message names one of the expressions that are compared.
func (c *comparison) named(message string) bool {
	for expression := range c.Resource {
		if strings.Contains(message, expression) {
			return true
		}
	}
	return false
}

// noObject is how Chainsaw's log names an operation that compares no object.
const noObject = "/ @ *"
