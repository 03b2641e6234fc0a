package observation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The formats of a log line.
const (
	formatJSON     = "JSON"
	formatKeyValue = "KeyValue"
	formatText     = "Text"
)

// line is a line of a log, split into fields.
type line struct {
	text   string
	format string
	fields []field
}

// field of a line. If fields are nested, the key is the innermost one.
type field struct{ key, value string }

// isMessage is true for the field with the message for people: its content is text,
// whatever it says.
func (f field) isMessage() bool { return f.key == "msg" || f.key == "message" }

// holds says whether the line contains a text, directly or in a value.
func (l line) holds(text string) bool {
	return strings.Contains(l.text, text) ||
		slices.ContainsFunc(l.fields, func(f field) bool { return strings.Contains(f.value, text) })
}

// parseLine splits a line that is a JSON object, or that has fields of the form key=value,
// as logfmt and klog write them.
func parseLine(text string) line {
	var object map[string]any
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Unmarshal([]byte(text), &object) == nil {
		return line{text, formatJSON, leaves(nil, "", object)}
	}
	if fields := pairs(text); len(fields) > 0 {
		return line{text, formatKeyValue, fields}
	}
	return line{text, formatText, nil}
}

// leaves appends the innermost values in a JSON value.
func leaves(to []field, key string, value any) []field {
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			to = leaves(to, key, value)
		}
	case []any:
		for _, value := range v {
			to = leaves(to, key, value)
		}
	case nil:
	default:
		to = append(to, field{key, fmt.Sprint(v)})
	}
	return to
}

// pair matches a quoted text, which is skipped, or key=value, in which the value may be
// quoted.
var pair = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|([A-Za-z_][\w./-]*)=("(?:[^"\\]|\\.)*"|[^\s"]\S*)`)

func pairs(text string) []field {
	var fields []field
	for _, match := range pair.FindAllStringSubmatch(text, -1) {
		key, value := match[1], match[2]
		if key == "" {
			continue
		}
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		fields = append(fields, field{key, value})
	}
	return fields
}
