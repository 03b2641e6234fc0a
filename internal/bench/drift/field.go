package drift

import (
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
)

// field is a field that the controller set.
type field struct {
	path  path
	value any
	// entry is true if the path leads to an entry of a list. Such an entry is removed.
	entry bool
}

// fieldsSet returns the fields that the controller set with its writes, the oldest first,
// if the object still has the values that were sent. Ports are identified by their
// numbers: their entries are removed only if the profile claims that it restores them.
func fieldsSet(writes []history.Write, object map[string]any, ports bool) ([]field, error) {
	sent := map[string]field{}
	var order []string
	for _, write := range writes {
		body, before, err := write.Decode()
		if err != nil {
			return nil, err
		}
		leaves(nil, body, func(p path, value any) {
			if was, ok := p.find(before); before != nil && ok && same(was, value) || !judged(p) {
				return
			}
			name := p.String()
			if _, known := sent[name]; !known {
				order = append(order, name)
			}
			sent[name] = field{path: p, value: value}
		})
	}
	var fields []field
	for _, name := range order {
		f := sent[name]
		now, ok := f.path.find(object)
		if !ok || !same(now, f.value) {
			continue
		}
		f.value = now
		if identifies(f.path) {
			f.path, f.entry = f.path[:len(f.path)-1], true
			f.value, _ = f.path.find(object)
			if inPorts(f.path) && !ports || taken(fields, f.path) {
				continue
			}
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// identifies says whether a path leads to a field that identifies an entry of a list.
func identifies(p path) bool {
	if len(p) < 2 || p[len(p)-2].what != toEntry {
		return false
	}
	_, ok := p[len(p)-2].entry[p[len(p)-1].key]
	return ok
}

func inPorts(p path) bool { return len(p) > 1 && p[len(p)-2].key == "ports" }

func taken(fields []field, p path) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.entry && f.path.String() == p.String() })
}

// judged says whether a field must come back. In the metadata these are labels and
// annotations, except those of other tools.
func judged(p path) bool {
	switch p[0].key {
	case "apiVersion", "kind", "status":
		return false
	case "metadata":
		if len(p) < 3 {
			return false
		}
		name := p[2].key
		return p[1].key == "labels" ||
			p[1].key == "annotations" && !strings.HasPrefix(name, "kubectl.kubernetes.io/") && !strings.HasPrefix(name, "deployment.kubernetes.io/")
	}
	return true
}
