package harmless

import (
	"regexp"
	"strings"
)

// Secrets that a subject may have written down, its own token first of all: reports are
// handed on. A token is a JSON Web Token, also one that was cut off.
var (
	token = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)*`)
	key   = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`)
)

// What stands in the place of a secret.
const (
	noToken = "(a token was left out)"
	noKey   = "(a key was left out)"
)

// Secrets leaves tokens and private keys out of a text, and changes nothing else of it. It
// must see the whole text: what is left of a token that was cut looks like any word.
func Secrets(text string) string {
	if !strings.Contains(text, "eyJ") && !strings.Contains(text, "PRIVATE KEY-----") {
		return text
	}
	return withoutSecrets(text)
}

func withoutSecrets(text string) string {
	return key.ReplaceAllString(token.ReplaceAllString(text, noToken), noKey)
}

// withoutKeys leaves out keys that go over several lines.
func withoutKeys(lines []string) []string {
	if !strings.Contains(strings.Join(lines, "\n"), "PRIVATE KEY-----") {
		return lines
	}
	return strings.Split(key.ReplaceAllString(strings.Join(lines, "\n"), noKey), "\n")
}
