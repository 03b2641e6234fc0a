package snapshot

import (
	"cmp"
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
// A name that the API server made up (metadata.generateName) is replaced in the same way: the
// next object of its kind has another one.
//
// Versions are short. So only a whole word of a text counts as a version, with or without
// letters before it (rv501). A number is not a version. A word is not a version either if
// the same number occurs in the contents: a port in a URL has the same digits as the port
// in the spec.
type quotes struct {
	known   history.Identities
	short   map[string]string // the short forms of UIDs, and what replaces each
	names   *strings.Replacer // of names that the API server made up
	numbers map[string]bool
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
	q := &quotes{known: history.Identities{UIDs: maps.Clone(known.UIDs), ResourceVersions: known.ResourceVersions}, numbers: map[string]bool{}}
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
	var names []string // the longest first, as one may begin like another
	for _, name := range slices.SortedFunc(maps.Keys(known.Names), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }) {
		names = append(names, name, known.Names[name])
	}
	q.names = strings.NewReplacer(names...)
	for _, content := range contents {
		q.count(content)
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
		for i := range v {
			hidden[i] = q.hide(v[i])
		}
		return hidden
	case string:
		return q.inText(v)
	}
	return value
}

// hideBelow replaces them in the keys too, if the keys stay different.
func (q *quotes) hideBelow(fields map[string]any) map[string]any {
	hidden := make(map[string]any, len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		as := q.inText(key)
		if _, taken := hidden[as]; taken {
			as = key
		}
		hidden[as] = q.hide(fields[key])
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
	return word.ReplaceAllStringFunc(q.names.Replace(text), q.stands)
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
