package paragraph

import (
	"strings"
	"unicode/utf8"
)

// Wrap returns the words of a text in lines that are not wider than a width, unless a single
// word is. The first line begins with one text, and the others with another. A width of 0
// means no limit.
func Wrap(text string, width int, first, next string) []string {
	line, empty := first, true
	var lines []string
	for _, word := range strings.Fields(text) {
		switch wide := utf8.RuneCountInString(line) + 1 + utf8.RuneCountInString(word); {
		case empty:
			line += word
		case width > 0 && wide > width:
			lines = append(lines, line)
			line = next + word
		default:
			line += " " + word
		}
		empty = false
	}
	return append(lines, strings.TrimRight(line, " "))
}

// Keep wraps each line of a text by itself, and keeps its indent. What comes after the first
// line of a wrapped line is indented by two characters more.
func Keep(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if width <= 0 || utf8.RuneCountInString(line) <= width {
			lines = append(lines, line)
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		lines = append(lines, Wrap(line, width, indent, indent+"  ")...)
	}
	return strings.Join(lines, "\n")
}

// Indent indents the lines of a text below its first line by two characters.
func Indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
