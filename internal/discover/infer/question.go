package infer

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Question is about something that nothing showed.
type Question struct {
	Text string
	// Lines that may answer it, in YAML, each at the place of the question and by itself. The
	// values are examples.
	Lines []string
}

// Examples returns the lines that may answer the questions about a field, by its path.
func Examples() map[string][]string {
	lines := map[string][]string{
		"contract.children.service":      {"service: {name: '{{ .name }}'}"},
		"claims.clientQPS":               {"clientQPS: 5"},
		"claims.times.resync":            {"resync: 10h"},
		"claims.reporting":               {"reporting: {eventReason: Failed}", `reporting: {condition: {type: Degraded, status: "True"}}`},
		"claims.events":                  {"events: {created: Created, updated: Updated, failed: Failed}"},
		"claims.metrics":                 {"metrics: {reconciles: my_reconciles_total, errors: my_errors_total}"},
		"launch.leaderElection.disabled": {"disabled: [--leader-elect=false]"},
		"launch.serial":                  {"serial: true"},
		"launch.webhook.conversion":      {"conversion: /convert"},
	}
	for _, name := range []string{"image", "replicas", "port", "env", "configMapRef"} {
		lines["contract.spec."+name] = []string{fmt.Sprintf("%s: {path: spec.%[1]s}", name)}
	}
	for _, name := range []string{"readyReplicas", "phase", "serviceURL", "conditions", "observedGeneration"} {
		lines["contract.status."+name] = []string{fmt.Sprintf("%s: {path: status.%[1]s}", name)}
	}
	return lines
}

// inLine returns a text as it may stand in a line that may answer, also inside of brackets:
// in quotes if YAML would read something else there.
func inLine(text string) string {
	var read []any
	if yaml.Unmarshal([]byte("["+text+"]"), &read) == nil && len(read) == 1 && read[0] == text {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// ask asks about the field at a path, with the example for it, if there is one.
func (f *finder) ask(path, format string, args ...any) {
	f.offer(path, Examples()[path], format, args...)
}

// askLeftOut names what was not tried, as the time of the visit was over.
func (f *finder) askLeftOut() {
	if len(f.Untried) > 0 {
		f.ask("claims", "not tried, or not finished, because the time of --max-time was over: %s. What they would have shown is not claimed, or is a guess", strings.Join(f.Untried, ", "))
	}
}

// offer asks about the field at a path, with lines that may answer.
func (f *finder) offer(path string, lines []string, format string, args ...any) {
	f.Asked[path] = append(f.Asked[path], Question{Text: fmt.Sprintf(format, args...), Lines: lines})
}

// askClaim asks about a feature that is not claimed.
func (f *finder) askClaim(feature, format string, args ...any) {
	f.offer("claims.features", []string{"- " + feature}, "%s is not claimed%s", feature, fmt.Sprintf(format, args...))
}

// doubt says that something looks like a mistake of the controller, and not like something
// that a profile should say. The profile is written so that the requirements judge it.
func (f *finder) doubt(path, format string, args ...any) {
	f.Doubts = append(f.Doubts, Doubt{Path: path, Text: fmt.Sprintf(format, args...)})
}

// Doubt is what looks like a mistake of the controller, at the field that it is about.
type Doubt struct {
	Path, Text string
	// Claimed is said in place of the text to somebody who has a profile, if that differs: the
	// values that were seen are then those of the look, and not those of the sample.
	Claimed string
	// Declared is true if a profile declares what it is about: then it is certain.
	Declared bool
}
