package catalogue

import "regexp"

// told matches the lines of a scenario that a report quotes: the names of steps, and the
// descriptions of operations.
var told = regexp.MustCompile(`(?m)^ *(- )?(name: ['"]?(Given|When|Then) |description: ).*$`)

// Spoken returns the requirement with its texts as speak gives them. Those of Raw change,
// too, so that a step that failed is found there. Its lines keep their numbers.
func (r Requirement) Spoken(speak func(text string) string) Requirement {
	r.Must, r.Catches, r.Hint = speak(r.Must), speak(r.Catches), speak(r.Hint)
	r.Raw = told.ReplaceAllFunc(r.Raw, func(line []byte) []byte { return []byte(speak(string(line))) })
	return r
}
