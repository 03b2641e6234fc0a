package sanitize

import (
	"strings"
	"testing"
)

// TestRedactor: only secrets are removed, also if they are split between two writes.
func TestRedactor(t *testing.T) {
	const (
		jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln-_bmF0dXJl"
		pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAbc=\n-----END RSA PRIVATE KEY-----"
	)
	long := strings.Repeat("x", mostHeld)
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":               {"one\ntwo\x00\x1b[0m", "one\ntwo\x00\x1b[0m"},
		"a token":               {"Bearer " + jwt + ", said\nmore\n", "Bearer " + noToken + ", said\nmore\n"},
		"at the end":            {"Bearer " + jwt, "Bearer " + noToken},
		"a key":                 {"a " + pem + " b\nc\n", "a " + noKey + " b\nc\n"},
		"two keys":              {pem + "\n" + pem + "\n" + jwt, noKey + "\n" + noKey + "\n" + noToken},
		"in a long line":        {long + " " + jwt + " " + long + "\n" + jwt, long + " " + noToken + " " + long + "\n" + noToken},
		"a key without an end":  {"-----BEGIN PRIVATE KEY-----\nMIIE\n", noKey},
		"no key at all":         {"-----BEGIN PRIVATE KEY----- " + strings.Repeat("a b\n", mostSecret), ""},
		"a certificate":         {"-----BEGIN CERTIFICATE-----\nMIIC\n", "-----BEGIN CERTIFICATE-----\nMIIC\n"},
		"a token without bound": {"eyJ" + strings.Repeat("a", 3*mostHeld) + " b", noToken + " b"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 1000, 32 << 10, len(tc.text) + 1} {
				if size == 1 && len(tc.text) > 1<<10 {
					continue // it would take long
				}
				var r Redactor
				var kept []byte
				for rest := tc.text; rest != ""; {
					n := min(size, len(rest))
					kept = append(kept, r.Next([]byte(rest[:n]))...)
					rest = rest[n:]
				}
				got := string(append(kept, r.End()...))
				if name == "no key at all" { // most of it stays
					if len(got) < len(tc.text)-2*mostSecret && size < mostSecret {
						t.Errorf("parts of %d: %d of %d bytes stay", size, len(got), len(tc.text))
					}
					continue
				}
				if got != tc.want {
					t.Errorf("parts of %d: got %.200q, want %.200q", size, got, tc.want)
				}
			}
		})
	}
}

// TestKeyAtTheEndOfAPart: a line that is too long may be split anywhere, also in the words in which
// a key begins or ends.
func TestKeyAtTheEndOfAPart(t *testing.T) {
	const begin, content, end = "-----BEGIN RSA PRIVATE KEY-----", `\nMIIEabc\nAbc=\n`, "-----END RSA PRIVATE KEY-----"
	long := strings.Repeat("x", mostHeld)
	for name, tc := range map[string]struct {
		before, mark, after, want string
	}{
		"its begin":              {long + ` "`, begin, content + end + `" and more`, long + ` "` + noKey + `" and more`},
		"its begin, in a word":   {long, begin, content + end + `" and more`, long + noKey + `" and more`},
		"its end":                {long + ` "` + begin + content, end, `" and more`, long + ` "` + noKey + `" and more`},
		"no key but dashes":      {long + " ", "----- END ---", " and more", long + " ----- END --- and more"},
		"of a certificate":       {long + " ", "-----BEGIN CERTIFICATE-----", "MIIC", long + " -----BEGIN CERTIFICATE-----MIIC"},
		"a token, escaped":       {long + ` "`, `\neyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln`, " and more", long + ` "\n` + noToken + " and more"},
		"a token in a URL":       {long + ` "`, `%3DeyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln`, " and more", long + ` "%3D` + noToken + " and more"},
		"a token after a hyphen": {long + " -", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln", " and more", long + " -" + noToken + " and more"},
	} {
		t.Run(name, func(t *testing.T) {
			for at := range len(tc.mark) + 1 {
				var r Redactor
				got := string(r.Next([]byte(tc.before + tc.mark[:at])))
				got += string(r.Next([]byte(tc.mark[at:] + tc.after)))
				if got += string(r.End()); got != tc.want {
					t.Errorf("split at %q: got %q, want %q", tc.mark[:at], strings.TrimLeft(got, "x"), strings.TrimLeft(tc.want, "x"))
				}
			}
		})
	}
}
