package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a document.
type Problem struct {
	// File and Line of the mistake. Line is 0 if it has no place in the file.
	File string
	Line int
	// Field is its path from the root of the document, such as spec.launch.command[0].
	Field string
	// Message says what is wrong, and what is allowed.
	Message string
}

func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Field != "" {
		fmt.Fprintf(&b, ": %s", p.Field)
	}
	fmt.Fprintf(&b, ": %s", oneLine(p.Message))
	return b.String()
}

// longestWord and longestMessage limit what is quoted of a file, in bytes: a certificate that stands
// where a name should be is not told as a whole.
const (
	longestWord    = 300
	longestMessage = 3000
)

// oneLine returns a message in one line, because each line is one problem, without the
// middle of what is very long.
func oneLine(message string) string {
	words := strings.Split(strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ").Replace(message)), " ")
	for i, word := range words {
		words[i] = withoutMiddle(word, longestWord)
	}
	return withoutMiddle(strings.Join(words, " "), longestMessage)
}

// withoutMiddle keeps the beginning and the end of a text that is longer than the limit.
func withoutMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit/4], "") + "…" + strings.ToValidUTF8(text[len(text)-limit/4:], "")
}

// Problems are all mistakes in a document, in the order of the file.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns nil if there are no problems, so that callers can return it.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(ps)
}
