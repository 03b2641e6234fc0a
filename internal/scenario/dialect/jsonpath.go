package dialect

import (
	"fmt"
	"regexp"
	"strings"
)

// JSONPath is a path of fields and numbers, as kubectl and Chainsaw's wait accept it:
// {.spec.ports[0].port}.
type JSONPath struct {
	// Steps are the names of fields, and numbers in brackets.
	Steps []string
}

var (
	jsonPathForm = regexp.MustCompile(`^\{((?:\.[A-Za-z][A-Za-z0-9]*|\[[0-9]+\])+)\}$`)
	jsonPathStep = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*|\[[0-9]+\]`)
)

// ParseJSONPath reads a path. The error says what is outside of the dialect.
func ParseJSONPath(s string) (JSONPath, error) {
	match := jsonPathForm.FindStringSubmatch(s)
	if match == nil || strings.HasPrefix(match[1], "[") {
		return JSONPath{}, fmt.Errorf("the JSONPath %s is not a path of fields such as {.spec.ports[0].port}", s)
	}
	return JSONPath{Steps: jsonPathStep.FindAllString(match[1], -1)}, nil
}

// String writes the path.
func (p JSONPath) String() string {
	var b strings.Builder
	for _, step := range p.Steps {
		if !strings.HasPrefix(step, "[") {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return "{" + b.String() + "}"
}
