package webapp

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
)

// changes are the names of the fields that had another value than they should.
type changes []string

func (c changes) String() string { return strings.Join(c, ", ") }

func (c *changes) add(field string) { *c = append(*c, field) }

// set gives *have the value want. It notes the field if that changed anything;
// empty and absent are the same.
func set[T any](c *changes, field string, have *T, want T) {
	if !equality.Semantic.DeepEqual(*have, want) {
		*have = want
		c.add(field)
	}
}

// setKeys gives the keys of want their values in *have, and leaves the others.
func setKeys(c *changes, field string, have *map[string]string, want map[string]string) {
	changed := false
	for k, v := range want {
		if old, ok := (*have)[k]; ok && old == v {
			continue
		}
		if *have == nil {
			*have = map[string]string{}
		}
		(*have)[k] = v
		changed = true
	}
	if changed {
		c.add(field)
	}
}

// dropKey removes a key.
func dropKey(c *changes, field string, have map[string]string, key string) {
	if _, ok := have[key]; ok {
		delete(have, key)
		c.add(field)
	}
}
