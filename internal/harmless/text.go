package harmless

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// sequence is an escape sequence that is complete: colours, the cursor, titles, links.
	sequence = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)
	// command at the beginning of a line, for GitHub (::error::), after what it takes for
	// white space; or anywhere, for GitHub (##[error]), Azure (##vso[…]) and TeamCity.
	atStart  = regexp.MustCompile(`(?m)^([\s\p{Z}]*):(:)`)
	anywhere = regexp.MustCompile(`#(#\w*\[)`)
)

// Text is a text that does nothing but be read, on a terminal, in a log of a CI system, in
// XML or YAML. Lines and tabs stay, escape sequences go. Any other control character is
// shown by its number, as are bytes that are no text, and what turns the direction of
// writing. Commands to CI systems get a space. Tokens and private keys are left out.
func Text(text string) string {
	text = sequence.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = shown(text)
	text = atStart.ReplaceAllString(text, "$1: $2")
	return withoutSecrets(anywhere.ReplaceAllString(text, "# $1"))
}

// shown shows what else would be obeyed.
func shown(text string) string {
	if !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size > 1: // somebody else has been here before
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

// obeyed tells whether a character does something, or cannot stand in XML.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == utf8.RuneError: // which it is as well for a byte that is no text
		return true
	case r&0xFFFE == 0xFFFE, r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
