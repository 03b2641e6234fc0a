package snapshot

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/history"
)

// quotes finds, in the texts of two contents that are compared, the UIDs and the
// resourceVersions that the controller was shown: a note of one that was made anew is
// another text, and says the same. What stands in its place says which object it is of,
// so that a note of another object stays a difference.
//
// Only a whole word of a text is a version, as versions are short, letters before it aside
// (rv501). No number is one, and no word that is a number somewhere in the contents: a port
// in a URL has the same digits as a port in a spec.
type quotes struct {
	known   history.Identities
	short   map[string]string // the forms that a UID may be cut down to, and what it is of
	numbers map[string]bool
}

const (
	// shortUID is the length of the beginning of a UID that is taken for it.
	shortUID = 8
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nothing  = "<uid of nothing here>"
)

var (
	// anyUID is a UID as the API server makes them, inside of a word too.
	anyUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// word is a part of a text that may be a version, or what is left of a UID.
	word = regexp.MustCompile(`[0-9A-Za-z]+`)
)

// quotesIn contents, of what was shown.
func quotesIn(known history.Identities, contents ...map[string]any) *quotes {
	q := &quotes{known: history.Identities{UIDs: maps.Clone(known.UIDs), ResourceVersions: known.ResourceVersions}, numbers: map[string]bool{}}
	for uid, of := range known.UIDs {
		// A name may have a UID in it. What lives was masked as that when the Snapshot was
		// taken: another UID of an object of that name is one that is gone.
		q.known.UIDs[uid] = "<uid of " + anyUID.ReplaceAllString(of, nothing) + ">"
		if slices.ContainsFunc(contents, func(content map[string]any) bool { return content[of] != nil }) {
			q.known.UIDs[uid] = nothing
		}
	}
	q.short = shortened(q.known.UIDs)
	for _, content := range contents {
		q.count(content)
	}
	return q
}

// shortened are the shorter forms of UIDs, each with what stands for the UID.
func shortened(uids map[string]string) map[string]string {
	short := map[string]string{}
	for uid, as := range uids {
		plain := strings.ReplaceAll(uid, "-", "")
		if len(plain) == len(uid) || len(plain) < shortUID {
			continue // no UID as the API server makes them
		}
		short[plain], short[plain[:shortUID]] = as, as
	}
	return short
}

// count the numbers below a value.
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

// hide them below a value, which is not changed.
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

// hideBelow hides them in the keys, too, as long as these stay different.
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

// inText hides them in a text.
func (q *quotes) inText(text string) string {
	text = anyUID.ReplaceAllStringFunc(text, func(uid string) string {
		if as, known := q.known.UIDs[uid]; known {
			return as
		}
		return uid
	})
	return word.ReplaceAllStringFunc(text, q.stands)
}

// stands in the place of a word: itself, unless it is a shortened UID or a version.
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
