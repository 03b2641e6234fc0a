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
