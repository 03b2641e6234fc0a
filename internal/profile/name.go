package profile

import (
	"regexp"
	"strings"
)

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// NameFor makes a name for a profile from any words.
func NameFor(words string) string {
	const most = 63
	name := notInNames.ReplaceAllString(strings.ToLower(words), "-")
	name = strings.Trim(name[:min(len(name), most)], "-")
	if name == "" {
		return "controller"
	}
	return name
}

// noName is why a text cannot be a name, without the regular expression that the library adds.
func noName(broken []string) string {
	why, _, _ := strings.Cut(broken[0], " (e.g.")
	return why
}
