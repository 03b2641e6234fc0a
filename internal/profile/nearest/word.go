package nearest

import (
	"fmt"
	"strings"
)

// Question returns the allowed word that is nearest to a misspelt one, as a question for
// the end of a message, or "" if none is near.
func Question(word string, allowed []string) string {
	best := To(word, allowed)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// To returns the allowed word that is nearest to a misspelt one, or "" if none is near.
func To(word string, allowed []string) string {
	best, distance := "", 1+len(word)/3
	for _, a := range allowed {
		if d := Distance(strings.ToLower(word), strings.ToLower(a)); d <= distance && (best == "" || d < distance) {
			best, distance = a, d
		}
	}
	return best
}

// Distance is the number of insertions, deletions and replacements that turn a into b.
func Distance(a, b string) int {
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
