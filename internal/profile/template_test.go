package profile

import (
	"strings"
	"testing"
)

// TestEscapeTemplates: an escaped text is a valid template that expands to the text
// again. A template of one of the given keys stays one.
func TestEscapeTemplates(t *testing.T) {
	data := map[string]any{"namespace": "home", "ports": map[string]any{"web": 8080}}
	for text, want := range map[string]string{
		"plain":                               "plain",
		"--fqdn-template={{.Name}}":           "--fqdn-template={{.Name}}",
		"{{ .Name }}.{{ .namespace }}":        "{{ .Name }}.home",
		"{{- .ports.web -}} {{ .porz.web }}":  "8080{{ .porz.web }}",
		"{{{ .namespace }}}":                  "{{{ .namespace }}}",
		"{{ .namespace.name }} {{ .ports }}":  "{{ .namespace.name }} {{ .ports }}",
		"{{ .ports.web.a }}{{ .namespaces }}": "{{ .ports.web.a }}{{ .namespaces }}",
		"{{ .namespace | upper }}":            "{{ .namespace | upper }}",
		"{{":                                  "{{",
		"}} {{{{ {":                           "}} {{{{ {",
		`{{"{{"}} {{/* no comment */}} {{ " `: `{{"{{"}} {{/* no comment */}} {{ " `,
		"{{ .namespace":                       "{{ .namespace",
	} {
		escaped := EscapeTemplates(text, ".namespace", ".ports.*")
		if problem := templateProblem(escaped, ".namespace", ".ports.*"); problem != "" {
			t.Errorf("%s: escaped as %s: %s", text, escaped, problem)
		}
		if got, err := expand(escaped, data); err != nil || got != want {
			t.Errorf("%s: escaped as %s, which becomes %q, %v; want %q", text, escaped, got, err, want)
		}
	}
}

// TestTemplateProblemSaysHow: for a template in the syntax of another language, the
// error shows the right syntax.
func TestTemplateProblemSaysHow(t *testing.T) {
	for _, text := range []string{"{{.Name}}", "{{ range . }}", "{{ .name | upper }}", "{{/* a note */}}", "a {{- /* a note */ -}} b", "{{ lower .name }}", "{{name}}"} {
		if problem := templateProblem(text, ".name"); !strings.Contains(problem, "for plain {{ in the text, write "+Braces) {
			t.Errorf("%s: %q", text, problem)
		}
	}
	if got := filledIn(`a{{"{{"}}b{{ .name }}`, "demo"); got != "a{{bdemo" {
		t.Errorf("filled in as %q", got)
	}
}
