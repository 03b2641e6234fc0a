package predict

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/report/paragraph"
)

// Form returns the answer file without answers.
func Form(l *lab.Lab) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n# Write what you expect after each colon, and then:\n#\n#   reconform lab run %s\n", l.Title, l.Folder)
	for _, q := range l.Questions {
		fmt.Fprintf(&text, "\n%s\n%s:\n", comment(q.Ask+" "+kindOf(q)), q.ID)
	}
	return text.String()
}

// kindOf says in words what kind of answer a question wants.
func kindOf(q lab.Question) string {
	switch {
	case len(q.Choices) > 0:
		return "(" + strings.Join(q.Choices, ", ") + ")"
	case q.Unit == lab.Seconds:
		return "(in seconds, or as in 300ms; right " + inWords(q) + ")"
	default:
		return "(a number; right " + inWords(q) + ")"
	}
}

// inWords says how near a prediction must be.
func inWords(q lab.Question) string {
	var ways []string
	if t := q.Tolerance.Times; t > 1 {
		ways = append(ways, fmt.Sprintf("from %s to %s times as much", short(1/t), short(t)))
	}
	if p := q.Tolerance.Plus; p > 0 {
		ways = append(ways, "if it is off by no more than "+withUnit(p, q))
	}
	if len(ways) == 0 {
		return "if it is exactly that"
	}
	return strings.Join(ways, ", or ")
}

// mostColumns is the largest width of a line.
const mostColumns = 88

func comment(text string) string { return Wrap(text, "#") }

// Wrap wraps a text into lines that begin with a prefix and a space.
func Wrap(text, prefix string) string {
	return strings.Join(paragraph.Wrap(text, mostColumns, prefix+" ", prefix+" "), "\n")
}
