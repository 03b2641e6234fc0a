package paragraph

import (
	"unicode"
	"unicode/utf8"
)

// Capitalized returns a text as it stands at the beginning of a sentence.
func Capitalized(text string) string { return first(text, unicode.ToUpper) }

// Uncapitalized returns a text as it stands within a sentence.
func Uncapitalized(text string) string { return first(text, unicode.ToLower) }

// first returns a text with its first letter as it should be.
func first(text string, should func(rune) rune) string {
	letter, size := utf8.DecodeRuneInString(text)
	if letter == utf8.RuneError {
		return text
	}
	return string(should(letter)) + text[size:]
}
