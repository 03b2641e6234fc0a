package profile

import "strings"

// First is the step of a path to the first element of a list.
const First = "[0]"

// Steps are the fields of a path such as spec.ports[0].port, where the first element of a
// list is a step of its own: spec, ports, [0], port.
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

// within says whether a path is another one, or lies below it.
func within(path, other string) bool {
	rest, below := strings.CutPrefix(path, other)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
