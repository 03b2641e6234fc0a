// Package marked writes the part of a Markdown page that a program makes. What comes in is
// the page and the text of that part; what goes out is the page with the text in place of the
// old one. The part stands between a line of its own, which names the command that makes it,
// and the line [End].
package marked

import (
	"fmt"
	"strings"
)

// End is the line after the part.
const End = "<!-- end -->\n"

// Replace returns the page with a text between the line begin and [End]. It returns an error
// if the page does not have both.
func Replace(page, begin, text string) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, End)
	if !ok || !closed {
		return "", fmt.Errorf("there is no place for the text: the page must have the lines %q and %q", begin, End)
	}
	return before + begin + "\n" + text + "\n" + End + after, nil
}
