package profile

import "strings"

// First is the step of a path that means the first element of a list.
const First = "[0]"

// Steps returns the steps of a path such as spec.ports[0].port. The first element of a list
// is its own step: spec, ports, [0], port.
func Steps(path string) []string {
	return strings.Split(strings.ReplaceAll(path, First, "."+First), ".")
}

// lookup follows a dotted path through nested maps, and through the first elements of
// lists.
func lookup(object map[string]any, path string) (any, bool) {
	var value any = object
	for _, step := range Steps(path) {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[step]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			if step != First || len(v) == 0 {
				return nil, false
			}
			value = v[0]
		default:
			return nil, false
		}
	}
	return value, true
}

// within tells whether a path is the other one, or lies below it.
func within(path, other string) bool {
	rest, below := strings.CutPrefix(path, other)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
