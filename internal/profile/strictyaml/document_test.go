package strictyaml

import "testing"

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
