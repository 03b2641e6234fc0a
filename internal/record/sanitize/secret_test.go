package sanitize

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSecrets: only secrets are removed.
func TestSecrets(t *testing.T) {
	const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln-_bmF0dXJl"
	for name, tc := range map[string]struct{ text, want string }{
		"a token":                {"Bearer " + jwt + ", he said", "Bearer (a token was left out), he said"},
		"a token in JSON":        {`{"token":"` + jwt + `"}`, `{"token":"(a token was left out)"}`},
		"after a line in JSON":   {`{"error":"sent:\n` + jwt + `\nno"}`, `{"error":"sent:\n(a token was left out)\nno"}`},
		"after a number in JSON": {`{"error":"\u003c` + jwt + `\u003e"}`, `{"error":"\u003c(a token was left out)\u003e"}`},
		"after a byte of Go":     {`"\x1b` + jwt + `"`, `"\x1b(a token was left out)"`},
		"after a shown byte":     {"\x07" + jwt, `\x07(a token was left out)`},
		"in a URL":               {"/a?to=b%3Ftoken%3D" + jwt + "%26", "/a?to=b%3Ftoken%3D(a token was left out)%26"},
		"one that was cut":       {"eyJhbGciOiJSUzI1NiJ9.eyJzdWI… (9 bytes left out) …", "(a token was left out)… (9 bytes left out) …"},
		"a key":                  {"a -----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY----- b", "a (a key was left out) b"},
		"a key without end":      {"-----BEGIN PRIVATE KEY-----\nMHcC", "(a key was left out)"},
		"a certificate":          {"-----BEGIN CERTIFICATE-----\nMIIC", "-----BEGIN CERTIFICATE-----\nMIIC"},
		"a word":                 {"eyJust a word, heyJhbGciOiJSUzI1NiJ9", "eyJust a word, heyJhbGciOiJSUzI1NiJ9"},
		"a token, disguised":     {"eyJhbGciOi\x1b[0mJSUzI1NiJ9.x", "(a token was left out)"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Text(tc.text)); diff != "" {
				t.Errorf("Text (-want +got):\n%s", diff)
			}
		})
	}
	lines := []string{"a", "-----BEGIN RSA PRIVATE KEY-----", "MIIE", "-----END RSA PRIVATE KEY-----", "b " + jwt}
	All(&lines)
	if diff := cmp.Diff([]string{"a", noKey, "b " + noToken}, lines); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
}
