package manifest

import "regexp"

var (
	helmAction = regexp.MustCompile(`\{\{-?\s*(\.(Values|Release|Chart|Capabilities|Files)\b|(include|template|tpl|define|if|with|range|end|toYaml)\b)`)
	anyAction  = regexp.MustCompile(`\{\{`)
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
