package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong in a profile.
type Problem struct {
	// File and Line where it is; Line is 0 where it has no place in the file.
	File string
	Line int
	// Field from the root of the document, such as spec.launch.command[0].
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
	fmt.Fprintf(&b, ": %s", p.Message)
	return b.String()
}

// Problems is everything that is wrong in a profile, in the order of the file.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// err is nil where there are no problems, so that callers can return it.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(ps)
}

// didYouMean names the allowed word that is nearest to a misspelt one, as a
// question to append to a message, or nothing where none is near.
func didYouMean(word string, allowed []string) string {
	best, distance := "", 1+len(word)/3
	for _, a := range allowed {
		if d := editDistance(strings.ToLower(word), strings.ToLower(a)); d <= distance && (best == "" || d < distance) {
			best, distance = a, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance is the number of insertions, deletions and replacements that
// make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
