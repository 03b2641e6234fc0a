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

// line of a log, taken apart.
type line struct {
	text   string
	format string
	fields []field
}

// field of a line. The key is the innermost one where fields are nested.
type field struct{ key, value string }

// isMessage is true of the field that holds what a person reads: what stands
// there is text, whatever it says.
func (f field) isMessage() bool { return f.key == "msg" || f.key == "message" }

// holds says whether a text stands in the line, as it is or as a value.
func (l line) holds(text string) bool {
	return strings.Contains(l.text, text) ||
		slices.ContainsFunc(l.fields, func(f field) bool { return strings.Contains(f.value, text) })
}

// parseLine takes a line apart that is a JSON object, or has fields in the form
// of key=value, as logfmt and klog write them.
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

// leaves appends the values in a JSON value that are not nested further.
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

// pair matches a quoted text, which is passed over, or key=value, where the
// value may be quoted.
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
