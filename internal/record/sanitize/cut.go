package sanitize

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// note is the space for the note about what was left out of the middle of a text.
	note = 48
	// near is how far, in bytes, a cut is moved so that it is between two words.
	near = 20
)

// Cut shortens a text to a number of characters. The first and the last part stay,
// because an error often has its cause at its end. Between them is written how much was
// left out, which takes up to 48 of the characters.
func Cut(text string, most int) string {
	count := characters(text, most)
	if count <= most {
		return text
	}
	room := most - note
	first := wordEnd(text, offset(text, room*3/4))
	last := wordStart(text, offset(text, count-(room-room*3/4)))
	return fmt.Sprintf("%s… (%d characters left out) …%s", text[:first], utf8.RuneCountInString(text[first:last]), text[last:])
}

// CutEnd shortens a text to a number of characters. Only its beginning stays, with "…" as
// the last character.
func CutEnd(text string, most int) string {
	if characters(text, most) <= most {
		return text
	}
	return text[:wordEnd(text, offset(text, most-1))] + "…"
}

// CutList joins texts. If there are too many, it ends with how many it leaves out: "a, b and
// 3 more", or with another separator than a comma "a; b; and 3 more".
func CutList(texts []string, most int, separator string) string {
	left := len(texts) - most
	if left <= 0 {
		return strings.Join(texts, separator)
	}
	list := strings.Join(texts[:most], separator)
	if separator == ", " {
		separator = " "
	}
	return fmt.Sprintf("%s%sand %d more", list, separator, left)
}

// characters counts the characters of a text. Most texts are short, and need no count.
func characters(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	return utf8.RuneCountInString(text)
}

// offset returns where the character with a number begins.
func offset(text string, number int) int {
	for at := range text {
		if number <= 0 {
			return at
		}
		number--
	}
	return len(text)
}

// wordEnd moves the end of a first part back to the end of a word, if one is near.
func wordEnd(text string, end int) int {
	if isSpace(text[end]) {
		return len(strings.TrimRight(text[:end], spaces))
	}
	from := max(0, end-near)
	if space := strings.LastIndexAny(text[from:end], spaces); space > 0 {
		return len(strings.TrimRight(text[:from+space], spaces))
	}
	return end
}

// wordStart moves the start of a last part on to the start of a word, if one is near.
func wordStart(text string, start int) int {
	if isSpace(text[start-1]) {
		return start
	}
	to := min(len(text), start+near)
	if space := strings.IndexAny(text[start:to], spaces); space >= 0 && start+space+1 < len(text) {
		return start + space + 1
	}
	return start
}

const spaces = " \t\n"

func isSpace(b byte) bool { return strings.IndexByte(spaces, b) >= 0 }
