package drift

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// path leads to a value in an object.
type path []step

// step goes to a key of a map, or to an entry of a list.
type step struct {
	key string
	// entry has the fields that identify an entry of a list, with their values.
	entry map[string]any
	// element is an entry that is itself a string.
	element string
	// front is true if an entry that is missing comes before all others of its list.
	front bool
	// place is the index of an entry that nothing identifies.
	place int
	what  stepKind
}

type stepKind int

const (
	toKey stepKind = iota
	toEntry
	toElement
	toPlace
)

// keys returns a path of nested keys.
func keys(names ...string) path {
	var p path
	for _, name := range names {
		p = append(p, step{key: name})
	}
	return p
}

// with returns the path with one more step. It shares no memory with the path.
func (p path) with(s step) path { return append(slices.Clone(p), s) }

func (p path) key(name string) path { return p.with(step{key: name}) }

// named returns the path of the entry of a list that has this value in this field.
func (p path) named(field, value string) path {
	return p.with(step{what: toEntry, entry: map[string]any{field: value}})
}

// String returns the path as people write it: spec.template.spec.containers[app].image.
func (p path) String() string {
	return p.written(func(s step) string {
		switch s.what {
		case toElement:
			return s.element
		case toPlace:
			return fmt.Sprint(s.place)
		}
		var values []string
		for _, field := range slices.Sorted(maps.Keys(s.entry)) {
			values = append(values, fmt.Sprint(s.entry[field]))
		}
		return strings.Join(values, "/")
	})
}

// general returns the path with [*] for every entry of a list, as a profile writes it.
func (p path) general() string { return p.written(func(step) string { return "*" }) }

func (p path) written(entry func(step) string) string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.what != toKey:
			fmt.Fprintf(&b, "[%s]", entry(s))
		case strings.ContainsAny(s.key, "./"):
			fmt.Fprintf(&b, "['%s']", s.key)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// under says whether the path equals a written path, or lies below it.
func (p path) under(written string) bool {
	rest, ok := strings.CutPrefix(p.general(), written)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// find returns the value at the path.
func (p path) find(value any) (any, bool) {
	for _, s := range p {
		var ok bool
		if value, ok = s.in(value); !ok {
			return nil, false
		}
	}
	return value, true
}

func (s step) in(value any) (any, bool) {
	if s.what == toKey {
		m, _ := value.(map[string]any)
		found, ok := m[s.key]
		return found, ok
	}
	list, _ := value.([]any)
	at := s.at(list)
	if at < 0 {
		return nil, false
	}
	return list[at], true
}

// at returns the index of the entry in a list, or -1.
func (s step) at(list []any) int {
	if s.what == toPlace {
		if s.place < len(list) {
			return s.place
		}
		return -1
	}
	return slices.IndexFunc(list, func(one any) bool {
		if s.what == toElement {
			return one == s.element
		}
		fields, ok := one.(map[string]any)
		for field, value := range s.entry {
			ok = ok && same(identityOf(fields, field), value)
		}
		return ok
	})
}

// put puts a value at the path of an object. It creates what is missing on the way. A
// missing entry is added to the end of its list, or to its front.
func (p path) put(object map[string]any, value any) { p.set(object, value) }

func (p path) set(in, value any) any {
	if len(p) == 0 {
		return value
	}
	s, rest := p[0], p[1:]
	if s.what == toKey {
		m, ok := in.(map[string]any)
		if !ok {
			m = map[string]any{}
		}
		m[s.key] = rest.set(m[s.key], value)
		return m
	}
	list, _ := in.([]any)
	if at := s.at(list); at >= 0 {
		list[at] = rest.set(list[at], value)
		return list
	}
	entry := rest.set(maps.Clone(s.entry), value)
	if s.front {
		return slices.Insert(list, 0, entry)
	}
	return append(list, entry)
}

// drop removes the value at the path from an object.
func (p path) drop(object map[string]any) {
	if len(p) == 0 {
		return
	}
	above, last := p[:len(p)-1], p[len(p)-1]
	holder, _ := above.find(object)
	switch h := holder.(type) {
	case map[string]any:
		delete(h, last.key)
	case []any:
		if at := last.at(h); at >= 0 {
			above.put(object, slices.Delete(slices.Clone(h), at, at+1))
		}
	}
}
