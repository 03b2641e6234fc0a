package snapshot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// object is one of the objects of a Snapshot.
type object struct {
	resource string // plural.group
	name     string
	content  map[string]any
}

func (o object) String() string { return o.resource + " " + o.name }

// mask removes from the objects what the rules name, and sorts them. It changes the
// objects. Masking them again changes nothing.
func (r *rules) mask(objects []object) {
	slices.SortFunc(objects, func(a, b object) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.name, b.name))
	})
	aliases := r.takeAliases(objects)
	for _, o := range objects {
		for _, rule := range r.Rules {
			if !rule.appliesTo(o.resource) {
				continue
			}
			for _, dropped := range rule.Drop {
				dropped.each(o.content, func(parent map[string]any, key string) { delete(parent, key) })
			}
			for _, omitted := range rule.Omit {
				omitted.Path.each(o.content, omitted.omit)
			}
			for _, opaque := range rule.Opaque {
				kept := r.keptIn(o.resource, opaque.Path)
				opaque.Path.each(o.content, func(parent map[string]any, key string) { opaque.hideValues(parent, key, kept) })
			}
		}
		r.maskValues(o.content, aliases)
		for _, rule := range r.Rules {
			if !rule.appliesTo(o.resource) {
				continue
			}
			for _, sorted := range rule.Sort {
				sorted.Path.each(o.content, func(parent map[string]any, key string) { sortList(parent[key], sorted.By) })
			}
		}
		prune(o.content)
	}
}

// Hidden replaces a value that must not be compared.
const Hidden = "<a value>"

// hideValues hides the matching values of a map, except the one that is kept.
func (v valueOf) hideValues(parent map[string]any, key, kept string) {
	fields, _ := parent[key].(map[string]any)
	for name := range fields {
		if text, ok := fields[name].(string); ok && name != kept && v.matches(text) {
			fields[name] = Hidden
		}
	}
}

// alias is a value that identifies an object, as a whole word, and what replaces it.
type alias struct {
	value string
	word  *regexp.Regexp
	as    string
}

// takeAliases removes the values that identify an object, such as its UID, and returns what
// replaces them wherever else they occur.
func (r *rules) takeAliases(objects []object) []alias {
	var aliases []alias
	for _, o := range objects {
		for _, rule := range r.Rules {
			if !rule.appliesTo(o.resource) {
				continue
			}
			for _, named := range rule.Alias {
				named.Path.each(o.content, func(parent map[string]any, key string) {
					value, ok := parent[key].(string)
					if !ok || value == "" || !named.matches(value) {
						return
					}
					aliases = append(aliases, aliasesOf(value, fmt.Sprintf("<%s of %s>", named.Path[len(named.Path)-1].key, o))...)
					delete(parent, key)
				})
			}
		}
	}
	return aliases
}

// aliasesOf returns the aliases of a value. A UID is replaced inside of words too. Its
// short forms are replaced only as whole words.
func aliasesOf(value, as string) []alias {
	whole := func(value string) alias {
		return alias{
			value: value,
			word:  regexp.MustCompile(`(^|[^0-9A-Za-z.-])` + regexp.QuoteMeta(value) + `($|[^0-9A-Za-z.-])`),
			as:    "${1}" + as + "${2}",
		}
	}
	if anyUID.FindString(value) != value {
		return []alias{whole(value)}
	}
	found := []alias{{value: value, word: regexp.MustCompile(regexp.QuoteMeta(value)), as: as}}
	for _, short := range slices.Sorted(maps.Keys(shortened(map[string]string{value: as}))) {
		found = append(found, alias{value: short, word: regexp.MustCompile(`\b` + short + `\b`), as: as})
	}
	return found
}

// maskValues replaces strings by their aliases, and by what the rules for values say.
func (r *rules) maskValues(value any, aliases []alias) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = r.maskValues(v[key], aliases)
		}
	case []any:
		for i := range v {
			v[i] = r.maskValues(v[i], aliases)
		}
	case string:
		return r.maskText(v, aliases)
	}
	return value
}

func (r *rules) maskText(text string, aliases []alias) string {
	for _, a := range aliases {
		// Two words in a row share what is between them, so the second one is left over.
		for range 2 {
			if strings.Contains(text, a.value) {
				text = a.word.ReplaceAllString(text, a.as)
			}
		}
	}
	for _, rule := range r.Values {
		if rule.Matching.MatchString(text) {
			text = rule.As
		}
	}
	return text
}

// sortList sorts a list by keys of its entries, and by the whole entries if these keys are
// equal.
func sortList(value any, by []string) {
	list, ok := value.([]any)
	if !ok {
		return
	}
	slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(sortKey(a, by), sortKey(b, by)) })
}

func sortKey(entry any, by []string) string {
	var keys []any
	if fields, ok := entry.(map[string]any); ok {
		for _, key := range by {
			keys = append(keys, fields[key])
		}
	}
	return text(append(keys, entry))
}

// prune removes objects that masking has left empty: it makes no difference whether there
// were annotations to mask.
func prune(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			prune(below)
			if fields, ok := below.(map[string]any); ok && len(fields) == 0 && prunable(key) {
				delete(v, key)
			}
		}
	case []any:
		for _, entry := range v {
			prune(entry)
		}
	}
}

// prunable says whether an empty object under this key means the same as a missing one. An
// empty selector, or an empty emptyDir, does not.
func prunable(key string) bool {
	return key == "annotations" || key == "labels" || key == "metadata" || key == "status"
}

// text returns a JSON value in one fixed form: the keys are sorted.
func text(value any) string {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(encoded.String(), "\n")
}
