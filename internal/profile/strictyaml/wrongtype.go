package strictyaml

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// The types that a value may be expected to have, in the words of [WrongType].
const (
	AString      = "a string"
	ANumber      = "a number"
	AWholeNumber = "a whole number"
	ABoolean     = "true or false"
	AList        = "a list"
	AMapping     = "a mapping"
)

// types are these words, by JSON's names of the types.
var types = map[string]string{
	"string": AString, "integer": AWholeNumber, "number": ANumber, "boolean": ABoolean, "array": AList, "object": AMapping,
}

// WrongType says that a field has a value of another type than it should have. want is the
// JSON type that it should have, or the words for it.
func (d *Document) WrongType(field, want string) string {
	if words, ok := types[want]; ok {
		want = words
	}
	node := d.find(field)
	if node == nil {
		return "it must be " + want
	}
	text := ""
	if node.Kind == yaml.ScalarNode && node.Style == 0 {
		text = node.Value
	}
	return WrongType((&converter{}).value(node, field, 0), text, want)
}

// WrongType says that a value has another type than it should have: what is there, what is
// expected, and how to write it. text is how the value is written in the file, without quotes; ""
// if it has quotes, or if that is not known.
func WrongType(value any, text, want string) string {
	is := Describe(value)
	if value == nil {
		return fmt.Sprintf("is %s; it must be %s: write one, or leave the field out", is, want)
	}
	shown := fmt.Sprint(value)
	if text == "" {
		text = shown
	}
	if text != shown {
		is = fmt.Sprintf("%s, which YAML takes for %s", text, is)
	}
	told := fmt.Sprintf("is %s; it must be %s", is, want)
	_, isText := value.(string)
	switch {
	case !IsScalar(value), value == "":
	case want == AString:
		told += fmt.Sprintf(": write %q, with quotes", text)
	case want == AList:
		told += fmt.Sprintf(": write [%s]", text)
	case isText && means(text, want):
		told += ": write it without quotes"
	}
	return told
}

// means tells whether a text without its quotes would be a value of the expected type.
func means(text, want string) bool {
	switch want {
	case ABoolean:
		return text == "true" || text == "false"
	case ANumber, AWholeNumber:
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	}
	return false
}

// IsScalar tells whether a JSON value is a string, a number or a boolean.
func IsScalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any, nil:
		return false
	}
	return true
}

// Describe says what a JSON value is.
func Describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q, a string", value)
	case bool:
		return fmt.Sprintf("%t, a boolean", value)
	case []any:
		return AList
	case map[string]any:
		return AMapping
	default:
		return fmt.Sprintf("%v, a number", value)
	}
}
