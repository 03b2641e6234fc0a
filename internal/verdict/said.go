package verdict

import (
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

// described returns what the scenario says of the operation that failed, if the operation
// compares no object, but the values of expressions. These are hard to read. It returns ""
// if the scenario says nothing, or if it is not certain which operation failed.
func (c *Case) described(failure chainsaw.Failure) string {
	if failure.Object != noObject {
		return ""
	}
	var scenario struct {
		Spec struct {
			Steps []struct {
				Name string      `json:"name"`
				Try  []operation `json:"try"`
			} `json:"steps"`
		} `json:"spec"`
	}
	if yaml.Unmarshal(c.Requirement.Raw, &scenario) != nil {
		return ""
	}
	var found []string
	for _, step := range scenario.Spec.Steps {
		for _, one := range step.Try {
			compared := one.Assert
			if failure.Operation == "error" {
				compared = one.Error
			}
			if step.Name == failure.Step && compared != nil && compared.Resource["kind"] == nil {
				found = append(found, strings.TrimSpace(one.Description))
			}
		}
	}
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}
	return found[0]
}

// noObject is how Chainsaw's log names an operation that compares no object.
const noObject = "/ @ *"
