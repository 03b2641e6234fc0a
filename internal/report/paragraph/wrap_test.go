package paragraph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		width int
		want  []string
	}{
		"short":            {"one two", 20, []string{"- one two"}},
		"to the character": {"one two", 9, []string{"- one two"}},
		"a line more":      {"one two", 8, []string{"- one", "  two"}},
		"a long word":      {"one incomprehensible two", 8, []string{"- one", "  incomprehensible", "  two"}},
		"letters of two":   {"één twéé", 10, []string{"- één twéé"}},
		"no limit":         {"one  two\nthree", 0, []string{"- one two three"}},
		"nothing":          {"", 8, []string{"-"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Wrap(tc.text, tc.width, "- ", "  ")); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKeep(t *testing.T) {
	want := "  one two\n    three\n\nfour    five"
	if got := Keep("  one two three\n\nfour    five", 12); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Keep("  one two three", 0); got != "  one two three" {
		t.Errorf("without a limit: %q", got)
	}
}

func TestCapitalized(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "A", "über": "Über", "1 b": "1 b", "列": "列", "\xff": "\xff"} {
		if got := Capitalized(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if got := Uncapitalized(want); got != text {
			t.Errorf("%q becomes %q, want %q", want, got, text)
		}
	}
}
