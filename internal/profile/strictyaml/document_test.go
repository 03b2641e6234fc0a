package strictyaml

import (
	"strings"
	"testing"
)

// TestRefused: a text that YAML reads as something else than it looks like is refused,
// and the error says what to write.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a: !!set {x, y}":      "f.yaml:1: a: tag !!set is not allowed: leave it out",
		"a:\n  b: !mine [x]":   "f.yaml:2: a.b: tag !mine is not allowed: leave it out",
		"a: !!omap [x: y]":     "f.yaml:1: a: tag !!omap is not allowed: leave it out",
		"!Profile\na: b":       "f.yaml:1: tag !Profile is not allowed: leave it out",
		"%YAML 1.2\n---\na: b": "f.yaml: not YAML: found incompatible YAML document: remove the line that begins with %YAML",
		"a:\n\tb: c":           "f.yaml:2: not YAML: found character that cannot start any token: indent with blanks, not with tabs, and put quotes around a value that begins with @, % or `",
		"a: !!map {x: y}":      "",
		"a: !!seq [x]":         "",
		"%YAML 1.1\n---\na: b": "",
	} {
		_, problems := Parse("f.yaml", "Profile", []byte(text))
		got := ""
		if len(problems) > 0 {
			got = problems.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestOneLine tells a problem in one line, whatever it quotes: each line is one problem.
func TestOneLine(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	for message, want := range map[string]string{
		"is a\nb":             "f.yaml:3: name: is a b",
		"is a\r\nb\n":         "f.yaml:3: name: is a b",
		"is  a":               "f.yaml:3: name: is  a",
		"is " + long + " and": "f.yaml:3: name: is " + strings.Repeat("ä", 37) + "…" + strings.Repeat("ä", 37) + " and",
	} {
		if got := (Problem{File: "f.yaml", Line: 3, Field: "name", Message: message}).Error(); got != want {
			t.Errorf("%.20q: got %q, want %q", message, got, want)
		}
	}
	if got := (Problem{File: "f.yaml", Message: strings.Repeat("a b ", 5000)}).Error(); len(got) > 2000 || !strings.Contains(got, "…") {
		t.Errorf("a message of many words: %d bytes", len(got))
	}
}
