package manifest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// misfit is a value whose type is not that of its field.
type misfit struct {
	path    []any  // keys and indices
	value   any    // as in JSON
	want    string // what it should be
	message string // instead of value and want
}

// tell says what the value is and what it should be. The text is the value as it is written
// in the file, or "".
func (m misfit) tell(text string) string {
	if m.message != "" {
		return m.message
	}
	return strictyaml.WrongType(m.value, text, m.want)
}

// misfits returns the parts of a JSON value that do not fit a Go type of the API. Null fits
// every type, because the API server treats it like a missing field.
func misfits(t reflect.Type, value any, path []any) []misfit {
	wrong := func(want string) []misfit { return []misfit{{path: path, value: value, want: want}} }
	if value == nil {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		return misfits(t.Elem(), value, path)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return misfitsOfOwn(t, value, path)
	}
	switch t.Kind() {
	case reflect.Struct:
		if object, ok := value.(map[string]any); ok {
			return misfitsOfFields(t, object, path)
		}
		return wrong(strictyaml.AMapping)
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong(strictyaml.AMapping)
		}
		var found []misfit
		for _, key := range slices.Sorted(maps.Keys(object)) {
			found = append(found, misfits(t.Elem(), object[key], under(path, key))...)
		}
		return found
	case reflect.Slice:
		return misfitsOfItems(t, value, path)
	case reflect.String:
		if _, ok := value.(string); !ok {
			return wrong(strictyaml.AString)
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return wrong(strictyaml.ABoolean)
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		return misfitsOfNumber(t, value, path)
	}
	return nil
}

func misfitsOfItems(t reflect.Type, value any, path []any) (found []misfit) {
	if t.Elem().Kind() == reflect.Uint8 { // base64
		text, ok := value.(string)
		if !ok {
			return []misfit{{path: path, value: value, want: strictyaml.AString}}
		}
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return []misfit{{path: path, value: value, want: "in base64"}}
		}
		return nil
	}
	items, ok := value.([]any)
	if !ok {
		return []misfit{{path: path, value: value, want: strictyaml.AList}}
	}
	for i, item := range items {
		found = append(found, misfits(t.Elem(), item, under(path, i))...)
	}
	return found
}

func misfitsOfNumber(t reflect.Type, value any, path []any) []misfit {
	switch number := value.(type) {
	case int64:
		if t.Kind() == reflect.Int32 && (number > math.MaxInt32 || number < math.MinInt32) {
			return []misfit{{path: path, value: value, want: fmt.Sprintf("a number from %d to %d", math.MinInt32, math.MaxInt32)}}
		}
		return nil
	case float64:
		if t.Kind() == reflect.Float64 {
			return nil
		}
		return []misfit{{path: path, value: value, want: strictyaml.AWholeNumber}}
	default:
		return []misfit{{path: path, value: value, want: strictyaml.ANumber}}
	}
}

// ofOwn says what a type must be that has its own form in JSON.
var ofOwn = map[reflect.Type]string{
	reflect.TypeFor[intstr.IntOrString]():                    "a whole number or a string",
	reflect.TypeFor[resource.Quantity]():                     "a quantity, such as 2, 100m or 1Gi",
	reflect.TypeFor[metav1.Time]():                           "a time, such as 2026-01-31T12:00:00Z",
	reflect.TypeFor[metav1.MicroTime]():                      "a time, such as 2026-01-31T12:00:00.000000Z",
	reflect.TypeFor[metav1.Duration]():                       "a time with its unit, such as 30s",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool](): "true, false or a schema",
}

// misfitsOfOwn returns the misfits for a type that has its own form in JSON. Types such as
// JSONSchemaPropsOrBool have a schema, or something else in place of it.
func misfitsOfOwn(t reflect.Type, value any, path []any) []misfit {
	if object, ok := value.(map[string]any); ok && t.Kind() == reflect.Struct {
		if schema, ok := t.FieldByName("Schema"); ok {
			return misfits(schema.Type, object, path)
		}
	}
	want, known := ofOwn[t]
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, reflect.New(t).Interface())
	}
	switch {
	case err == nil:
		return nil
	case known:
		return []misfit{{path: path, value: value, want: want}}
	default:
		return []misfit{{path: path, message: err.Error()}}
	}
}

func misfitsOfFields(t reflect.Type, object map[string]any, path []any) (found []misfit) {
	fields := map[string]reflect.Type{}
	fieldsOf(t, fields)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		field, known := fields[key]
		if known {
			found = append(found, misfits(field, object[key], under(path, key))...)
			continue
		}
		found = append(found, misfit{path: under(path, key), message: "unknown field" + allowed(fields)})
	}
	return found
}

// allowed returns the names of the fields, if they are few.
func allowed(fields map[string]reflect.Type) string {
	if len(fields) == 0 || len(fields) > 16 {
		return ""
	}
	return "; allowed here: " + strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// fieldsOf collects the fields of a struct, by their names in JSON.
func fieldsOf(t reflect.Type, fields map[string]reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			fieldsOf(field.Type, fields)
		default:
			fields[name] = field.Type
		}
	}
}

// under returns a path with one more step. It shares no memory with the given one.
func under(path []any, step any) []any { return append(slices.Clone(path), step) }
