package snapshot

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/history"
)

// quotes finds the UIDs and the resourceVersions that the controller was shown, in the
// texts of two contents that are compared. If an object was made anew, a note of its
// UID is another text, but says the same. So the UID is replaced by words that say
// which object it is of. A note of another object is still a difference.
//
// Versions are short, so only a whole word of a text is taken for one, with or without
// letters before it (rv501). A number is no version. A word is none either if the same
// number is somewhere in the contents: a port in a URL has the digits of the port in
// the spec.
type quotes struct {
	known   history.Identities
	short   map[string]string // the short forms of a UID, and what it is of
	numbers map[string]bool
}

const (
	// shortUID is the length of the beginning of a UID that may stand for it.
	shortUID = 8
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nothing  = "<uid of nothing here>"
)

var (
	// anyUID is a UID as the API server makes it, also inside of a word.
	anyUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// word is a part of a text that may be a version, or a short form of a UID.
	word = regexp.MustCompile(`[0-9A-Za-z]+`)
)

// quotesIn contents, of the identities that were shown.
func quotesIn(known history.Identities, contents ...map[string]any) *quotes {
	q := &quotes{known: history.Identities{UIDs: maps.Clone(known.UIDs), ResourceVersions: known.ResourceVersions}, numbers: map[string]bool{}}
	for uid, of := range known.UIDs {
		// A name may have a UID in it. UIDs of living objects were masked when the
		// Snapshot was taken. So another UID of an object of that name is of one that
		// is gone.
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
			continue // not a UID of the API server
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

// hide them below a value. The result is a copy, and the value is not changed.
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

// hideBelow hides them in the keys too, if the keys stay different.
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

// stands is what replaces a word: the word itself, unless it is a shortened UID or a
// version.
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
