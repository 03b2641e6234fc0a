// Package logline makes the log lines of a subject readable. What loggers such as zap write
// as JSON becomes a message with its fields.
package logline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reconform.dev/reconform/internal/record/sanitize"
)

// Line is what a subject wrote, and how often in a row it wrote that.
type Line struct {
	Time  string // as a structured line says it
	Level string // error, if the line says so
	Text  string
	Times int
}

// Limits of a shown log: in lines, and in characters for each line and for its time.
const (
	most     = 60
	mostText = 600
	mostTime = 40
)

// Shown returns a log as it is shown. Structured lines are made readable. What was
// written several times in a row is shown once.
func Shown(lines []string) []Line {
	var shown []Line
	last := ""
	for _, line := range lines[max(0, len(lines)-most):] {
		one := Readable(line)
		same := one.Level + one.Text
		if len(shown) > 0 && same == last {
			shown[len(shown)-1].Times++
			continue
		}
		last = same
		shown = append(shown, one)
	}
	return shown
}

// Readable returns a line for people. If it is structured, as by zap or logr, the text is its
// message and then its fields. Otherwise it is the line itself. A long text is cut.
func Readable(line string) Line {
	fields := fieldsOf(line)
	if fields == nil || text(fields["msg"]) == "" {
		return Line{Text: sanitize.Cut(line, mostText), Times: 1}
	}
	shown := Line{Time: text(fields["ts"]), Times: 1}
	if strings.EqualFold(text(fields["level"]), "error") {
		shown.Level = "error"
	}
	parts := []string{text(fields["msg"])}
	for _, name := range append([]string{"error"}, sortedRest(fields)...) {
		if value := text(fields[name]); value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	shown.Time = sanitize.Text(sanitize.Cut(shown.Time, mostTime))
	shown.Text = sanitize.Text(sanitize.Cut(strings.Join(parts, " "), mostText))
	return shown
}

// fieldsOf returns the fields of a structured line, or nil. Zap writes such a line as JSON, or
// for people: its time, its level, the name of its logger and its message with tabs between
// them, and then JSON.
func fieldsOf(line string) (fields map[string]any) {
	if strings.HasPrefix(line, "{") {
		if json.Unmarshal([]byte(line), &fields) != nil {
			return nil
		}
		return fields
	}
	parts := strings.Split(line, "\t")
	if len(parts) < 3 || !forPeople.MatchString(parts[0]+" "+parts[1]) {
		return nil
	}
	last := len(parts) - 1
	if !strings.HasPrefix(parts[last], "{") || json.Unmarshal([]byte(parts[last]), &fields) != nil {
		fields, last = map[string]any{}, last+1
	}
	if last < 3 {
		return nil
	}
	fields["ts"], fields["level"], fields["msg"] = parts[0], strings.ToLower(parts[1]), parts[last-1]
	return fields
}

// forPeople matches the time and the level of a line that zap writes for people.
var forPeople = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+) (?:DEBUG|INFO|WARN|ERROR|DPANIC|PANIC|FATAL)$`)

// sortedRest returns the names of the other fields, sorted.
func sortedRest(fields map[string]any) []string {
	known := []string{
		"msg", "level", "ts", "error", stack, verbose, "logger", "controllerGroup", "controllerKind", "reconcileID",
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

// The fields of zap that have stacks: of the line, and of where its error was made.
const (
	stack   = "stacktrace"
	verbose = "errorVerbose"
)

// InWords returns a log for a terminal: lines without their times. Equal lines become one,
// with their number, in the place of the last of them. They need not follow each other:
// often one error leads to two lines that take turns.
func InWords(lines []string) []string {
	times, order := map[string]int{}, []string{}
	for _, line := range lines {
		one := Readable(line)
		words := one.Text
		if one.Level != "" {
			words = one.Level + " " + words
		}
		if times[words]++; times[words] > 1 {
			order = slices.DeleteFunc(order, func(known string) bool { return known == words })
		}
		order = append(order, words)
	}
	for n, words := range order {
		if times[words] > 1 {
			order[n] = fmt.Sprintf("%s (×%d)", words, times[words])
		}
	}
	return order
}

// Cut shortens a line to a number of characters. If it is structured, it leaves out the
// stack and writes the rest as JSON, so that the error is still there. If that is still
// too long, it cuts the message with its fields, as [sanitize.Cut] does.
func Cut(line string, most int) string {
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	fields := fieldsOf(line)
	if fields == nil {
		return sanitize.Cut(line, most)
	}
	delete(fields, stack)
	delete(fields, verbose)
	if short, err := json.Marshal(fields); err == nil && utf8.RuneCount(short) <= most {
		return string(short)
	}
	one := Readable(line)
	if one.Level != "" {
		one.Text = one.Level + " " + one.Text
	}
	return sanitize.Cut(one.Text, most)
}
