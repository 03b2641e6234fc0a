package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
)

// logLine is what a subject wrote, and how often in a row it wrote that.
type logLine struct {
	Level string // error, if the line says so
	Text  string
	Times int
}

// Limits of a shown log: in lines, and in bytes for each line.
const (
	mostLogLines = 60
	mostLogLine  = 600
)

// logged returns a log as it is shown. Structured lines are made readable. What was
// written several times in a row is shown once.
func logged(lines []string) []logLine {
	var shown []logLine
	last := ""
	for _, line := range lines[max(0, len(lines)-mostLogLines):] {
		one := readable(line)
		same := one.Level + message(one.Text)
		if len(shown) > 0 && same == last {
			shown[len(shown)-1].Times++
			continue
		}
		last = same
		shown = append(shown, one)
	}
	return shown
}

// message returns a line without the time at its beginning.
func message(text string) string {
	_, rest, found := strings.Cut(text, "  ")
	if found {
		return rest
	}
	return text
}

// readable returns a line as it is. If it is structured, as by zap or logr, it returns its
// time, its message and then its fields.
func readable(line string) logLine {
	var fields map[string]any
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &fields) != nil || text(fields["msg"]) == "" {
		return logLine{Text: sanitize.Cut(line, mostLogLine), Times: 1}
	}
	shown := logLine{Times: 1}
	if strings.EqualFold(text(fields["level"]), "error") {
		shown.Level = "error"
	}
	parts := []string{text(fields["msg"])}
	for _, name := range append([]string{"error"}, sortedRest(fields)...) {
		if value := text(fields[name]); value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	shown.Text = strings.Join(parts, " ")
	if at := text(fields["ts"]); at != "" {
		shown.Text = at + "  " + shown.Text
	}
	shown.Text = sanitize.Text(sanitize.Cut(shown.Text, mostLogLine))
	return shown
}

// sortedRest returns the names of the other fields, sorted.
func sortedRest(fields map[string]any) []string {
	known := []string{
		"msg", "level", "ts", "error", "stacktrace", "logger", "controllerGroup", "controllerKind",
	}
	var names []string
	for name := range fields {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case float64, bool:
		return fmt.Sprint(value)
	default:
		data, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(data)
	}
}
