package catalogue

import "go.yaml.in/yaml/v3"

// Line returns the line of the scenario's file at which a step begins, or 1 if there is no
// such step.
func (r *Requirement) Line(step string) int {
	var document yaml.Node
	if step == "" || yaml.Unmarshal(r.Raw, &document) != nil || len(document.Content) == 0 {
		return 1
	}
	steps := child(child(document.Content[0], "spec"), "steps")
	if steps == nil {
		return 1
	}
	for _, s := range steps.Content {
		if value(s, "name") == step {
			return s.Line
		}
	}
	return 1
}
