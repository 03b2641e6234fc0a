package infer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Leaf is a value of an object that has no values below it.
type Leaf struct {
	Path  string // spec.ports[0].port
	Value any
}

// Leaves returns the leaves below a path of an object, in order. Keys that no path can name
// are left out.
func Leaves(value any, path string) []Leaf {
	switch v := value.(type) {
	case map[string]any:
		var leaves []Leaf
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if inPath(key) {
				leaves = append(leaves, Leaves(v[key], path+"."+key)...)
			}
		}
		return leaves
	case []any:
		var leaves []Leaf
		for i := range v {
			leaves = append(leaves, Leaves(v[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
		return leaves
	case nil:
		return nil
	default:
		return []Leaf{{strings.TrimPrefix(path, "."), value}}
	}
}

// inPath tells whether a path can name a key: it has neither dots nor brackets.
func inPath(key string) bool { return key != "" && !strings.ContainsAny(key, ".[]") }

// steps splits a path: spec, ports, 0, port.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// At returns the value of an object at a path, or nil.
func At(object map[string]any, path string) any {
	var value any = object
	for _, step := range steps(path) {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// With returns a copy of an object with another value at a path; nil removes the present
// value. Missing maps, and lists of one element, are created on the way: spec.ports[8080] is
// an element of a list, and spec.ports.8080 a key of a map.
func With(object map[string]any, path string, to any) map[string]any {
	changed := runtime.DeepCopyJSON(object)
	set(changed, strings.FieldsFunc(strings.ReplaceAll(path, "[", ".["), func(r rune) bool { return r == '.' || r == ']' }), to)
	return changed
}

// Like returns a copy of an object with the value that another object has at a path. If the other
// object lacks the value, the copy lacks it, too, with all maps above it that the other one lacks:
// an empty map may not be valid.
func Like(object, other map[string]any, path string) map[string]any {
	for above, _ := parent(path); above != "" && At(other, above) == nil; above, _ = parent(above) {
		path = above
	}
	return With(object, path, At(other, path))
}

// Without returns a copy of an object without the value at a path. Maps and lists around it
// that become empty are removed, too. Other empty ones stay.
func Without(object map[string]any, path string) map[string]any {
	changed := runtime.DeepCopyJSON(object)
	takeAway(changed, steps(path))
	return changed
}

// takeAway removes the value at some steps below another value. It returns the rest, or nil
// if nothing is left.
func takeAway(value any, steps []string) any {
	if len(steps) == 0 {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		below, given := v[steps[0]]
		if !given || below == nil && len(steps) > 1 {
			return v
		}
		if v[steps[0]] = takeAway(below, steps[1:]); v[steps[0]] == nil {
			delete(v, steps[0])
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case []any:
		i, err := strconv.Atoi(steps[0])
		if err != nil || i >= len(v) || v[i] == nil && len(steps) > 1 {
			return v
		}
		if v[i] = takeAway(v[i], steps[1:]); v[i] != nil {
			return v
		}
		if len(v) == 1 {
			return nil
		}
		v[i] = map[string]any{} // the other elements keep their places
		return v
	}
	return value
}

// set sets a value some steps below another one. A step into a list begins with a bracket.
func set(value any, steps []string, to any) any {
	if len(steps) == 0 {
		return to
	}
	if index, inList := strings.CutPrefix(steps[0], "["); inList {
		list, _ := value.([]any)
		i, err := strconv.Atoi(index)
		if err != nil {
			return value
		}
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = set(list[i], steps[1:], to)
		return list
	}
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	if below := set(object[steps[0]], steps[1:], to); below == nil {
		delete(object, steps[0])
	} else {
		object[steps[0]] = below
	}
	return object
}

// same tells whether two values have the same text, whatever their types.
func same(a, b any) bool { return a != nil && b != nil && fmt.Sprint(a) == fmt.Sprint(b) }

// whole returns a number that has no fraction.
func whole(value any) (int64, bool) {
	switch v := value.(type) {
	case int64:
		return v, true
	case float64:
		if v == float64(int64(v)) {
			return int64(v), true
		}
	}
	return 0, false
}

// parent splits a path into its parent and its last step.
func parent(path string) (above, last string) {
	i := strings.LastIndexAny(path, ".[")
	if i < 0 {
		return "", path
	}
	return path[:i], strings.Trim(path[i:], ".[]")
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Unnamable returns the fields that no path can name, because of a dot or a bracket in a key.
func Unnamable(value any, path string) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !inPath(key) {
				found = append(found, fmt.Sprintf("%s[%q]", path, key))
				continue
			}
			found = append(found, Unnamable(v[key], path+"."+key)...)
		}
	case []any:
		for i := range v {
			found = append(found, Unnamable(v[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return found
}
