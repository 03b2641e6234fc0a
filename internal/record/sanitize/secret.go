package sanitize

import (
	"regexp"
	"strings"
)

// Secrets that a subject may have written, such as its own token. Reports are given to
// other people, so these must not contain them. A token is a JSON Web Token, even if its
// end is missing.
var (
	token = regexp.MustCompile(`(?:\b|(` + escaped + `))eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)*`)
	key   = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`)
)

// escaped matches a character as JSON, Go or a URL writes it: \n, \x1b, \u003c, %3D. Its last
// letter is no part of the word after it.
const escaped = `\\(?:[abefnrtv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}`

// What replaces a secret.
const (
	noToken = "(a token was left out)"
	noKey   = "(a key was left out)"
)

// Secrets removes tokens and private keys from a text, and changes nothing else. It must
// get the whole text, because a part of a token that was cut looks like any other word.
func Secrets(text string) string {
	if !strings.Contains(text, "eyJ") && !strings.Contains(text, "PRIVATE KEY-----") {
		return text
	}
	return withoutSecrets(text)
}

func withoutSecrets(text string) string {
	return key.ReplaceAllString(token.ReplaceAllString(text, "${1}"+noToken), noKey)
}

// withoutKeys removes keys that extend over several lines.
func withoutKeys(lines []string) []string {
	if !strings.Contains(strings.Join(lines, "\n"), "PRIVATE KEY-----") {
		return lines
	}
	return strings.Split(key.ReplaceAllString(strings.Join(lines, "\n"), noKey), "\n")
}
