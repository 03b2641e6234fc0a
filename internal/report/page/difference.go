package page

import (
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
	about "reconform.dev/reconform/internal/report/evidence"
)

// Limits of a shown difference: in lines, and in characters for each line.
const (
	mostDifference     = 100
	mostDifferenceLine = 400
)

// diffLine is a line of what was expected or observed.
type diffLine struct {
	Sign   string // +, - or empty
	Text   string
	Beside bool // it was observed, but nothing else was expected in its place
}

// Class returns the line's class in the style sheet.
func (l diffLine) Class() string {
	switch {
	case l.Beside:
		return "beside"
	case l.Sign == "-":
		return "expected"
	case l.Sign == "+":
		return "observed"
	}
	return ""
}

// difference splits a difference into lines: first what the text says in words, then the
// objects in Chainsaw's form.
func difference(text string) []diffLine {
	words, objects, _ := strings.Cut(text, "--- expected\n")
	var lines []diffLine
	for _, p := range about.Pairs(words) {
		of := ""
		if p.About != "" {
			of = p.About + ": "
		}
		lines = append(lines, diffLine{Sign: "-", Text: of + p.Expected}, diffLine{Sign: "+", Text: of + p.Found})
	}
	if objects != "" {
		lines = append(lines, unified(objects)...)
	}
	if len(lines) > mostDifference {
		lines = append(lines[:mostDifference], diffLine{Text: "…"})
	}
	for n := range lines {
		lines[n].Text = sanitize.Cut(lines[n].Text, mostDifferenceLine)
	}
	return lines
}

// unified splits a unified diff into lines. A scenario names only some fields. Other
// fields of an object are not a failure.
func unified(text string) []diffLine {
	var lines []diffLine
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "+++ "), line == "":
		case strings.HasPrefix(line, "@@"):
			lines = append(lines, diffLine{Text: "⋮"})
		case line[0] == '-' || line[0] == '+':
			lines = append(lines, diffLine{Sign: line[:1], Text: line[1:]})
		default:
			lines = append(lines, diffLine{Text: line[1:]})
		}
	}
	for from := 0; from < len(lines); {
		to, expected := from, false
		for to < len(lines) && lines[to].Sign != "" {
			expected = expected || lines[to].Sign == "-"
			to++
		}
		for n := from; n < to && !expected; n++ {
			lines[n].Beside = true
		}
		from = max(to, from+1)
	}
	return lines
}
