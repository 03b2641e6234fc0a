package catalogue

import (
	"os"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/invariant"
)

// TestEveryClaimIsExplained: the page on verdicts has an entry for every feature that a
// profile can claim, with the requirements that depend on it, and one for every
// invariant, with its home.
func TestEveryClaimIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/verdict.md")
	if err != nil {
		t.Fatal(err)
	}
	known, err := features()
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			name := strings.Trim(cells[1], " `")
			entries[name] += cells[2] + cells[3]
		}
	}
	for _, name := range append(known, invariant.Names()...) {
		if entries[name] == "" {
			t.Errorf("docs/verdict.md has no entry for %s", name)
		}
	}
	for _, r := range embedded(t) {
		for _, feature := range r.Features {
			if !mentions(entries[string(feature)], r.ID) {
				t.Errorf("docs/verdict.md does not say that %s switches on %s", feature, r.ID)
			}
		}
		for _, rule := range r.Judges {
			if !mentions(entries[rule], r.ID) {
				t.Errorf("docs/verdict.md does not say that %s is judged by %s", rule, r.ID)
			}
		}
	}
}

// mentions tells whether a text has an ID, by itself or within a range such as LF-001
// to LF-007.
func mentions(text, id string) bool {
	if strings.Contains(text, id) {
		return true
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,:;()", r) })
	for i, word := range words {
		if word == "to" && i > 0 && i+1 < len(words) && words[i-1][:2] == id[:2] && words[i-1] < id && id < words[i+1] && words[i+1][:2] == id[:2] {
			return true
		}
	}
	return false
}
