package snapshot

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
)

// quotes finds UIDs and resourceVersions that the controller has seen, in the texts of two
// contents that are compared. If an object was made again, a text with its UID is
// different but means the same. So the UID is replaced by words that say which object it
// belongs to. A text about another object is still a difference.
//
// A name that the API server or a controller of Kubernetes made up is replaced in the same
// way: the next object of its kind has another one. A list that has several such names is
// sorted, as their order means nothing.
//
// Versions are short. So only a whole word of a text counts as a version, with or without
// letters before it (rv501). A number is not a version. A word is not a version either if
// the same number occurs in the contents: a port in a URL has the same digits as the port
// in the spec.
type quotes struct {
	known   history.Identities
	short   map[string]string // the short forms of UIDs, and what replaces each
	names   madeUp
	numbers map[string]bool
	both    map[string]bool // the objects that are in all contents under the same name
}

const (
	// shortUID is how many characters at the beginning of a UID may stand for it.
	shortUID = 8
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nothing  = "<uid of nothing here>"
)

var (
	// anyUID matches a UID of the API server, inside of a word too.
	anyUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// word matches a part of a text that may be a version, or a short form of a UID.
	word = regexp.MustCompile(`[0-9A-Za-z]+`)
)

// quotesIn prepares quotes for these contents, from the identities that the controller has
// seen.
func quotesIn(known history.Identities, contents ...map[string]any) *quotes {
	q := &quotes{known: history.Identities{UIDs: maps.Clone(known.UIDs), ResourceVersions: known.ResourceVersions}, numbers: map[string]bool{}, both: map[string]bool{}}
	for uid, of := range known.UIDs {
		// A name may contain a UID. UIDs of living objects were masked when the Snapshot
		// was taken. So if an object of that name exists, another UID of this name belongs
		// to an object that is gone.
		q.known.UIDs[uid] = "<uid of " + anyUID.ReplaceAllString(of, nothing) + ">"
		if slices.ContainsFunc(contents, func(content map[string]any) bool { return content[of] != nil }) {
			q.known.UIDs[uid] = nothing
		}
	}
	q.short = shortened(q.known.UIDs)
	q.names = namesOf(known.Names)
	for _, content := range contents {
		q.count(content)
		for key := range content {
			q.both[key] = !slices.ContainsFunc(contents, func(other map[string]any) bool { return other[key] == nil })
		}
	}
	return q
}

// shortened returns the short forms of UIDs, each with what replaces the UID.
func shortened(uids map[string]string) map[string]string {
	short := map[string]string{}
	for uid, as := range uids {
		plain := strings.ReplaceAll(uid, "-", "")
		if len(plain) == len(uid) || len(plain) < shortUID {
			continue // not a UID of the API server
		}
		short[plain], short[plain[:shortUID]] = as, as
	}
	return short
}

// count collects the numbers below a value.
func (q *quotes) count(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, below := range v {
			q.count(below)
		}
	case []any:
		for _, below := range v {
			q.count(below)
		}
	case float64:
		q.numbers[text(v)] = true
	}
}

// hide replaces UIDs and versions below a value. It returns a copy and does not change the
// value.
func (q *quotes) hide(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return q.hideBelow(v)
	case []any:
		hidden := make([]any, len(v))
		var madeUp int
		for i := range v {
			hidden[i] = q.hide(v[i])
			if q.names.in(v[i]) {
				madeUp++
			}
		}
		if madeUp > 1 {
			sortList(hidden, nil)
		}
		return hidden
	case string:
		return q.inText(v)
	}
	return value
}

// hideIn replaces them in a content. An object that all contents have under the same name keeps
// its name.
func (q *quotes) hideIn(content map[string]any) map[string]any {
	hidden, others := map[string]any{}, map[string]any{}
	for key, value := range content {
		if q.both[key] {
			hidden[key] = q.hide(value)
		} else {
			others[key] = value
		}
	}
	maps.Copy(hidden, q.hideBelow(others))
	return hidden
}

// hideBelow replaces them in the keys, too. Keys that become the same are numbered, in the
// order of what is below them.
func (q *quotes) hideBelow(fields map[string]any) map[string]any {
	below := map[string][]any{}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		as := q.inText(key)
		below[as] = append(below[as], q.hide(fields[key]))
	}
	hidden := make(map[string]any, len(fields))
	for as, values := range below {
		sortList(values, nil)
		for i, value := range values {
			key := as
			if i > 0 {
				key = fmt.Sprintf("%s (%d)", as, i+1)
			}
			hidden[key] = value
		}
	}
	return hidden
}

// inText replaces them in a text.
func (q *quotes) inText(text string) string {
	text = anyUID.ReplaceAllStringFunc(text, func(uid string) string {
		if as, known := q.known.UIDs[uid]; known {
			return as
		}
		return uid
	})
	return word.ReplaceAllStringFunc(q.names.replace(text), q.stands)
}

// stands returns what replaces a word: the word itself, unless it is a short form of a UID
// or a version.
func (q *quotes) stands(word string) string {
	if as, known := q.short[word]; known {
		return as
	}
	version := strings.TrimLeft(word, letters)
	if of, known := q.known.ResourceVersions[version]; known && !q.numbers[version] {
		return strings.TrimSuffix(word, version) + "<version of " + of + ">"
	}
	return word
}
