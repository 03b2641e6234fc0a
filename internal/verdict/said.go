package verdict

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/scenario/catalogue"
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
	Use  struct {
		Template string `json:"template"`
	} `json:"use"`
}

// stepsOf reads the steps of a requirement's scenario, with those of the step templates.
func stepsOf(r catalogue.Requirement) ([]step, error) {
	var scenario struct {
		Spec struct {
			Steps []step `json:"steps"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(r.Raw, &scenario); err != nil {
		return nil, fmt.Errorf("reading a scenario: %w", err)
	}
	steps := scenario.Spec.Steps
	for n := range steps {
		used := steps[n].Use.Template
		if used == "" || r.Source == nil {
			continue
		}
		raw, err := fs.ReadFile(r.Source, path.Join(path.Dir(r.Path), used))
		if err != nil {
			return nil, fmt.Errorf("reading a step template: %w", err)
		}
		var template struct {
			Spec step `json:"spec"`
		}
		if err := yaml.Unmarshal(raw, &template); err != nil {
			return nil, fmt.Errorf("reading the step template %s: %w", used, err)
		}
		steps[n].Try = template.Spec.Try
	}
	return steps, nil
}

// described returns what the scenario says of the operation that failed, if the operation
// compares no object, but the values of expressions. These are hard to read. If a step has
// several such operations, it is the one whose expression the failure names. It returns ""
// if the scenario says nothing, or if it is not certain which operation failed.
func (c *Case) described(failure chainsaw.Failure) string {
	if failure.Object != noObject {
		return ""
	}
	steps, err := stepsOf(c.Requirement)
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
