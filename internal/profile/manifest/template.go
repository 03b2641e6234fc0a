package manifest

import (
	"bytes"
	"regexp"
)

var (
	helmAction = regexp.MustCompile(`\{\{-?\s*(\.(Values|Release|Chart|Capabilities|Files)\b|(include|template|tpl|define|if|with|range|end|toYaml)\b)`)
	anyAction  = regexp.MustCompile(`\{\{`)
	// actions of a template, in their own lines or beside text.
	actions   = regexp.MustCompile(`\{\{(?:[^}]|\}[^}])*\}\}`)
	ownAction = regexp.MustCompile(`(?m)^[ \t]*(?:` + actions.String() + `[ \t]*)+\r?$`)
)

// templateOf says that a text is a template, and what to give instead. It returns "" if the
// text is not a template.
func templateOf(text []byte) string {
	switch {
	case helmAction.Match(text):
		return "a template of Helm, and not a manifest: give its chart (the folder with Chart.yaml), or a file with the output of helm template"
	case anyAction.Match(text):
		return "a template ({{ … }}), and not a manifest: give a file with its output"
	default:
		return ""
	}
}

// withoutActions returns a text with a word in place of each action of a template, and with nothing
// in place of those that have a line of their own. The lines keep their numbers.
func withoutActions(text []byte) []byte {
	text = ownAction.ReplaceAllFunc(text, func(lines []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(lines, []byte("\n"))) })
	return actions.ReplaceAllFunc(text, func(lines []byte) []byte {
		return append([]byte("x"), bytes.Repeat([]byte("\n"), bytes.Count(lines, []byte("\n")))...)
	})
}
