package catalogue

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

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

// When returns the name of the last step that changes something before the named one, which
// judges. Steps that only wait until the controller has settled change nothing. It returns
// "" if there is none.
func (r *Requirement) When(step string) string {
	var document yaml.Node
	if yaml.Unmarshal(r.Raw, &document) != nil || len(document.Content) == 0 {
		return ""
	}
	when := ""
	if steps := child(child(document.Content[0], "spec"), "steps"); steps != nil {
		for _, s := range steps.Content {
			switch name := value(s, "name"); {
			case name == step:
				return when
			case strings.HasPrefix(name, "When ") && !strings.HasSuffix(value(child(s, "use"), "template"), "/settle.yaml"):
				when = name
			}
		}
	}
	return ""
}
