package snapshot

import (
	"fmt"
	"regexp"
	"strings"
)

// path leads to values in an object. It is written like a.b[*].c['d.e'].
type path []step

// step is one key, or every entry of a list.
type step struct {
	key string
	all bool
}

var stepPattern = regexp.MustCompile(`^(?:\.?([A-Za-z0-9_-]+)|(\[\*\])|\['([^']+)'\])`)

// UnmarshalText reads a path.
func (p *path) UnmarshalText(written []byte) error {
	rest := string(written)
	for rest != "" {
		found := stepPattern.FindStringSubmatch(rest)
		if found == nil {
			return fmt.Errorf("path %q: what is %q?", written, rest)
		}
		*p = append(*p, step{key: found[1] + found[3], all: found[2] != ""})
		rest = strings.TrimPrefix(rest, found[0])
	}
	if len(*p) == 0 || (*p)[len(*p)-1].all {
		return fmt.Errorf("path %q: it must end in a key", written)
	}
	return nil
}

// each calls f with every object that the path leads to and that has the last key of the
// path.
func (p path) each(value any, f func(parent map[string]any, key string)) {
	switch v := value.(type) {
	case map[string]any:
		next, has := v[p[0].key]
		switch {
		case p[0].all || !has:
		case len(p) == 1:
			f(v, p[0].key)
		default:
			p[1:].each(next, f)
		}
	case []any:
		if p[0].all {
			for _, entry := range v {
				p[1:].each(entry, f)
			}
		}
	}
}
