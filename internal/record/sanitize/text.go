package sanitize

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// sequence matches a complete escape sequence: colours, the cursor, titles, links.
	sequence = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)
	// A command to a CI system is at the beginning of a line for GitHub (::error::), after
	// what GitHub treats as white space. Or it is anywhere in a line, for GitHub
	// (##[error]), Azure (##vso[…]) and TeamCity.
	atStart  = regexp.MustCompile(`(?m)^([\s\p{Z}]*):(:)`)
	anywhere = regexp.MustCompile(`#(#\w*\[)`)
)

// Text returns a text that can only be read, and does nothing else on a terminal, in the
// log of a CI system, in XML or in YAML. Line breaks and tabs stay; escape sequences are
// removed. Other control characters are shown by their numbers. So are bytes that are not
// text, and characters that change the direction of writing. Commands to CI systems get a
// space. Tokens and private keys are left out.
func Text(text string) string {
	text = sequence.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = shown(text)
	text = atStart.ReplaceAllString(text, "$1: $2")
	return withoutSecrets(anywhere.ReplaceAllString(text, "# $1"))
}

// shown replaces each of the other characters that a terminal or a parser would obey. The
// number of the character takes its place.
func shown(text string) string {
	if !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size > 1: // it was already in the text
			b.WriteRune(r)
		case r == utf8.RuneError, r < 0x80 && obeyed(r):
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// obeyed says whether a character does something, or is not allowed in XML.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == utf8.RuneError: // also the result for a byte that is not text
		return true
	case r&0xFFFE == 0xFFFE, r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
