package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	texttemplate "text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers whole
)

// Template makes the i-th object of a Load.
type Template struct {
	fill filler
}

// filler makes a JSON value for a number.
type filler func(i int) (any, error)

// Compile reads a Load's template and tries it once, so that errors in it are found before
// anything is made.
func Compile(raw []byte) (*Template, error) {
	decoded := map[string]any{}
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return nil, fmt.Errorf("reading the template: %w", err)
	}
	fill, err := fillerOf(decoded, "")
	if err != nil {
		return nil, err
	}
	t := &Template{fill: fill}
	first, err := t.Object(0)
	if err != nil {
		return nil, err
	}
	for field, value := range map[string]string{
		"apiVersion": first.GetAPIVersion(), "kind": first.GetKind(), "metadata.name": first.GetName(),
	} {
		if value == "" {
			return nil, fmt.Errorf("the template has no %s", field)
		}
	}
	return t, nil
}

// Object returns the i-th object, with the template's own name.
func (t *Template) Object(i int) (*unstructured.Unstructured, error) {
	filled, err := t.fill(i)
	if err != nil {
		return nil, err
	}
	object, ok := filled.(map[string]any)
	if !ok {
		return nil, errors.New("the template is not an object")
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// Functions returns the functions of templates, in addition to those of text/template.
// They are needed because the numbers start at 0, and few fields need exactly these
// numbers.
func Functions() texttemplate.FuncMap {
	return texttemplate.FuncMap{
		"add": func(a, b int) int { return a + b },
		"mul": func(a, b int) int { return a * b },
		"mod": func(a, b int) (int, error) {
			if b == 0 {
				return 0, errors.New("mod by zero")
			}
			return a % b, nil
		},
	}
}

// fillerOf compiles a JSON value at a path. The filler makes a new value each time.
func fillerOf(value any, path string) (filler, error) {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "{{") {
			return textFiller(v, path)
		}
	case map[string]any:
		fillers := make(map[string]filler, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			fill, err := fillerOf(v[key], path+"."+key)
			if err != nil {
				return nil, err
			}
			fillers[key] = fill
		}
		return func(i int) (any, error) { return filledMap(fillers, i) }, nil
	case []any:
		fillers := make([]filler, len(v))
		for n, item := range v {
			var err error
			if fillers[n], err = fillerOf(item, fmt.Sprintf("%s[%d]", path, n)); err != nil {
				return nil, err
			}
		}
		return func(i int) (any, error) { return filledList(fillers, i) }, nil
	}
	return func(int) (any, error) { return value, nil }, nil
}

func filledMap(fillers map[string]filler, i int) (any, error) {
	filled := make(map[string]any, len(fillers))
	for key, fill := range fillers {
		var err error
		if filled[key], err = fill(i); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

func filledList(fillers []filler, i int) (any, error) {
	filled := make([]any, len(fillers))
	for n, fill := range fillers {
		var err error
		if filled[n], err = fill(i); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

// textFiller compiles a string with expressions in it. If the whole string is one
// expression and its result is a number, the value becomes a number.
func textFiller(text, path string) (filler, error) {
	path = strings.TrimPrefix(path, ".")
	parsed, err := texttemplate.New(path).Funcs(Functions()).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the template: %w", err)
	}
	alone := strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}")
	return func(i int) (any, error) {
		var b strings.Builder
		if err := parsed.Execute(&b, map[string]any{"i": i}); err != nil {
			return nil, fmt.Errorf("filling in the template: %w", err)
		}
		if alone {
			var number int64
			if err := json.Unmarshal([]byte(b.String()), &number); err == nil {
				return number, nil
			}
		}
		return b.String(), nil
	}, nil
}
