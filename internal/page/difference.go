package page

import "strings"

// mostDifference is how many lines of a difference are shown.
const mostDifference = 120

// diffLine is a line of what was expected and what was observed.
type diffLine struct {
	Sign string // +, - or nothing
	Text string
}

// Class of the line in the style sheet.
func (l diffLine) Class() string {
	switch l.Sign {
	case "-":
		return "expected"
	case "+":
		return "observed"
	}
	return ""
}

// difference in lines. The rules and the heads of a unified difference are left out.
func difference(text string) []diffLine {
	var lines []diffLine
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line != "" && strings.Trim(line, "-") == "", strings.HasPrefix(line, "--- expected"), strings.HasPrefix(line, "+++ actual"):
			continue
		case len(lines) == mostDifference:
			return append(lines, diffLine{Text: "…"})
		case strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+"):
			lines = append(lines, diffLine{Sign: line[:1], Text: line[1:]})
		default:
			lines = append(lines, diffLine{Text: strings.TrimPrefix(line, " ")})
		}
	}
	return lines
}
