package sanitize

import (
	"os/exec"
	"testing"
)

// TestWord: a shell reads the word as it was.
func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		"mine.yaml":             "mine.yaml",
		"a/b_c:=,@%+-1":         "a/b_c:=,@%+-1",
		"":                      "''",
		"my own":                "'my own'",
		"it's":                  `'it'\''s'`,
		"$HOME `id` \"x\" \\ *": "",
		"größe\n(2)":            "",
		"~/x":                   "'~/x'",
		"-x":                    "-x",
	} {
		got := Word(text)
		if want != "" && got != want {
			t.Errorf("Word(%q) = %s, want %s", text, got, want)
		}
		if read, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s x"+got).Output(); err != nil || string(read) != "x"+text {
			t.Errorf("a shell reads %s as %q, want %q (%v)", got, read, "x"+text, err)
		}
	}
}
