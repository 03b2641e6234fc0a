package sanitize

import (
	"fmt"
	"unicode/utf8"
)

// words is the space for the words that replace what was left out.
const words = 48

// Cut shortens a text to a number of bytes, which must be at least 100. The first and the
// last part stay. Between them is written how much was left out.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	first := (most - words) * 3 / 4
	last := len(text) - (most - words - first)
	for back := 0; back < utf8.UTFMax && first > 0 && !utf8.RuneStart(text[first]); back++ {
		first--
	}
	for on := 0; on < utf8.UTFMax && last < len(text) && !utf8.RuneStart(text[last]); on++ {
		last++
	}
	return fmt.Sprintf("%s… (%d bytes left out) …%s", text[:first], last-first, text[last:])
}
