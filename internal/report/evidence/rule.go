package evidence

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
)

var (
	// notAsExpected introduces what an object of the bench found.
	notAsExpected = regexp.MustCompile(`\b[A-Z]\w+ [\w.-]+ is not as expected:? ?`)
	// refused is a check of a scenario that a request is refused, with a message that has a word.
	refused = regexp.MustCompile(`^\(?(?:to_string\()?\$error != null && contains\(\$error, '([^']*)'\)`)
	// violations is a check of a scenario that an invariant was not broken.
	violations = regexp.MustCompile(`^status\.\(violations\[\?rule == '(\w+)'\]\.message`)
	// counts matches how many requests were allowed, and those that were counted.
	counts = regexp.MustCompile(`expected (?:at most (\d+) )?[^;"\n]*, found \d+ in ([\d.a-z]+): (#\d+ [a-z]+ [^\n]*)`)
	// mostOften comes after the requests that a Traffic names, if there are many.
	mostOften = regexp.MustCompile(`; most often: ([^;\n]*)$`)
	// oneRequest matches a request in words, with its result if it was a write.
	oneRequest = regexp.MustCompile(`^#\d+ [a-z]+ \S+`)
	// cameTrue comes before the part of a rule that was broken.
	cameTrue = regexp.MustCompile(`; what came true of it: ([^;\n]*)`)
	// besides comes after what was found: what the verdict adds to a reason.
	besides = regexp.MustCompile(`; it relies on what was not judged here: (.*)$`)
	// atVersion is an object as an Observation quotes it.
	atVersion = regexp.MustCompile(`\S+ at resourceVersion \d+`)
	// behind comes after such an object.
	behind = regexp.MustCompile(`; (?:\S+ at resourceVersion \d+|and \d+ more|what came true of it)`)
)

// refusal says in words that a request should have been refused.
func refusal(p Pair) Pair {
	asText := strings.Contains(p.About, "to_string(")
	p.Expected = fmt.Sprintf("the API server refuses it, with a message that names %s", refused.FindStringSubmatch(p.About)[1])
	p.About = ""
	switch {
	case asText && p.Found == `"null"`:
		p.Found = "it was accepted"
	case asText:
		p.Found = "it was refused with " + p.Found
	case p.Found == "false":
		p.Found = "it was accepted, or refused with another message"
	}
	return p
}

// counted returns what a text says about counted requests: in which time they were counted,
// and either what was asked most often or the first ones that were too many. It returns "" if
// the text does not say it.
func counted(text string) string {
	m := counts.FindStringSubmatch(besides.ReplaceAllString(text, ""))
	if m == nil {
		return ""
	}
	in := " in " + m[2]
	if often := mostOften.FindStringSubmatch(m[3]); often != nil {
		return in + ": most often " + often[1]
	}
	var effective, all []string
	for _, one := range strings.Split(m[3], "; ") {
		if oneRequest.MatchString(one) {
			all = append(all, one)
		}
		if strings.HasSuffix(one, "(effective)") {
			effective = append(effective, one)
		}
	}
	if strings.Contains(m[0], "effective") {
		all = effective
	}
	if kinds := repeated(all); len(kinds) > 0 {
		return in + ": " + strings.Join(kinds, ", ")
	}
	if allowed, err := strconv.Atoi(m[1]); err == nil && allowed > 0 && allowed < len(all) {
		all = append([]string{"…"}, all[allowed:]...)
	}
	if len(all) == 0 {
		return in
	}
	return in + ": " + strings.Join(all[:min(len(all), 3)], "; ")
}

// mostKinds is how many kinds of requests are told, each with how often it was sent.
const mostKinds = 3

// repeated says how often each kind of request was sent, and the number of its first one: 5 ×
// list deployments from #36 on. It returns nothing if none was sent twice, or if there are
// many kinds.
func repeated(requests []string) (told []string) {
	times, first := map[string]int{}, map[string]string{}
	var kinds []string
	for _, request := range requests {
		number, kind, _ := strings.Cut(request, " ")
		if times[kind]++; times[kind] == 1 {
			first[kind] = number
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == len(requests) || len(kinds) > mostKinds {
		return nil
	}
	for _, kind := range kinds {
		if times[kind] == 1 {
			told = append(told, first[kind]+" "+kind)
			continue
		}
		told = append(told, fmt.Sprintf("%d × %s from %s on", times[kind], kind, first[kind]))
	}
	return told
}

// violation says in words that an invariant was broken.
func violation(p Pair) Pair {
	p.Expected, p.About = "no violation of "+violations.FindStringSubmatch(p.About)[1], ""
	var messages []string
	if json.Unmarshal([]byte(p.Found), &messages) == nil {
		p.Found = strings.Join(messages, "; ")
	}
	return p
}

// never says what must never be, and what was seen: of a rule with several parts, only the
// part that was broken. A rule that cannot be said in words needs the object that broke it.
func never(rule, found string) Pair {
	if m := cameTrue.FindStringSubmatch(found); m != nil {
		rule, found = m[1], cameTrue.ReplaceAllString(found, "")
	}
	words := inWords(rule)
	if m := loggedLine.FindStringSubmatch(found); m != nil {
		var line string
		if json.Unmarshal([]byte(m[1]), &line) == nil {
			found = line
		}
	}
	switch {
	case words == gone:
		return Pair{Expected: "that it is never gone", Found: "it was gone; last seen: " + withoutObjects(found)}
	case words == there:
		return Pair{Expected: "none, at any time", Found: withoutObjects(found)}
	case words != rule:
		found = withValues(words, found)
	default:
		found = sanitize.Cut(found, longest)
	}
	return Pair{Expected: "that this never happens: " + words, Found: found}
}

// loggedLine matches the first line of a log that an Observation shows, as JSON.
var loggedLine = regexp.MustCompile(`^\{.*?"examples":\[\{.*?"line":("(?:[^"\\]|\\.)*")`)

// ofValue matches a rule in words that names one field, and what its value was compared with, or
// that it changes.
var ofValue = regexp.MustCompile(`^([A-Za-z]\w*(?:\.\w+)*) (?:changes|(?:is not|is|[<>]=?) \S+)$`)

// happened says that a rule came true, if only the objects are named, and not their values.
func happened(objects string) string {
	if at := atVersion.FindStringIndex(objects); at != nil && at[0] == 0 {
		return "it happened: " + objects
	}
	return objects
}

// withValues leaves out the objects themselves, and says of each which value the field of the
// rule had. If the rule is that a map or a list changes, it leaves out the value, too, which would
// say little.
func withValues(words, found string) string {
	field := ofValue.FindStringSubmatch(words)
	if field == nil {
		return happened(withoutObjects(found))
	}
	var told []string
	anyKnown := false
	ends := append(behind.FindAllStringIndex(found, -1), []int{len(found), len(found)})
	begin := 0
	for _, end := range ends {
		one := strings.TrimPrefix(found[begin:end[0]], "; ")
		begin = end[0]
		at := atVersion.FindStringIndex(one)
		if at == nil || at[0] != 0 {
			told = append(told, one) // how many more there are
			continue
		}
		object := one[:at[1]]
		value, known := valueIn(strings.TrimSpace(one[at[1]:]), field[1])
		if whole := strings.HasSuffix(words, " changes") && isMapOrList(value); !known || whole {
			told = append(told, object)
			continue
		}
		told, anyKnown = append(told, fmt.Sprintf("%s is %s, of %s", field[1], value, object)), true
	}
	if !anyKnown {
		return happened(strings.Join(told, "; "))
	}
	return strings.Join(told, "; ")
}

func isMapOrList(value string) bool {
	return strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[")
}

// valueIn returns the value of a field of an object that is quoted, and whose end may be cut
// off.
func valueIn(object, path string) (value string, known bool) {
	steps := strings.Split(path, ".")
	from := json.NewDecoder(strings.NewReader(object))
	if t, err := from.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	for from.More() {
		key, err := from.Token()
		if err != nil {
			return "", false
		}
		if key == steps[0] && len(steps) > 1 {
			steps = steps[1:]
			if t, err := from.Token(); err != nil || t != json.Delim('{') {
				return "", false
			}
			continue
		}
		var content json.RawMessage
		if from.Decode(&content) != nil {
			return "", false
		}
		if key == steps[0] {
			return string(content), true
		}
	}
	return "", false
}

const (
	// gone is how a rule is said in words if it means that the object was deleted.
	gone = "it is gone"
	// there is how a rule is said in words if it means that the object exists.
	there = "it is there"
	// longest is how much is shown of the objects that broke a rule, in characters.
	longest = 400
)

// Parts of a rule in CEL, and what they mean.
var meanings = []struct {
	cel   *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`^new == null$`), gone},
	{regexp.MustCompile(`^new != null$`), there},
	{regexp.MustCompile(`^new\.([\w.]+) != (?:old|first)\.([\w.]+)$`), "$1 changes"},
	{regexp.MustCompile(`^(?:old|first)\.([\w.]+) != new\.([\w.]+)$`), "$1 changes"},
	{regexp.MustCompile(`^new\.([\w.]+) != (\S+)$`), "$1 is not $2"},
	{regexp.MustCompile(`^new\.([\w.]+) == (\S+)$`), "$1 is $2"},
	{regexp.MustCompile(`^new\.([\w.]+) ([<>]=?) (\S+)$`), "$1 $2 $3"},
	{regexp.MustCompile(`^!has\(new\.metadata\.deletionTimestamp\)$`), "it is there, and is not being deleted"},
	{regexp.MustCompile(`^has\(new\.metadata\.deletionTimestamp\)$`), "it is being deleted"},
	{regexp.MustCompile(`^!has\(new\.([\w.]+)\)$`), "it has no $1"},
	{regexp.MustCompile(`^has\(new\.([\w.]+)\)$`), "it has $1"},
	{regexp.MustCompile(`^size\(new\.([\w.]+)\) > 0$`), "$1 has an entry"},
	{regexp.MustCompile(`^new\.status\.replicas\.exists\(r, r\.readyz\)$`), "a replica is ready"},
	{regexp.MustCompile(`^new\.complete \+ new\.incomplete > 0$`), "the log has such a line"},
	{regexp.MustCompile(`^all\.size\(\) == 0$`), "no object"},
	{regexp.MustCompile(`^all\.size\(\) >= (\d+)$`), "at least $1 objects"},
}

var (
	orValue  = regexp.MustCompile(`\.orValue\([^()]*\)`)
	unknown  = regexp.MustCompile(`^(?:(?:old|first|new) != null && )+`)
	brackets = regexp.MustCompile(`^\((.*)\)$`)
)

// inWords says a rule in CEL in words, as far as that is simple. What is not simple stays
// as it is.
func inWords(rule string) string {
	simple := strings.ReplaceAll(orValue.ReplaceAllString(rule, ""), ".?", ".")
	simple = brackets.ReplaceAllString(unknown.ReplaceAllString(simple, ""), "$1")
	parts := strings.Split(simple, " || ")
	for n, part := range parts {
		part = unknown.ReplaceAllString(part, "")
		words := ""
		for _, m := range meanings {
			if m.cel.MatchString(part) {
				words = m.cel.ReplaceAllString(part, m.words)
				break
			}
		}
		if words == "" {
			return rule
		}
		parts[n] = words
	}
	return strings.Join(parts, ", or ")
}

// withoutObjects leaves out the objects themselves, which are long: their names and
// versions say which they are. The report has them.
func withoutObjects(text string) string {
	at := atVersion.FindStringIndex(text)
	if at == nil || !strings.HasPrefix(text[at[1]:], " {") {
		return text
	}
	rest := ""
	if end := behind.FindStringIndex(text[at[1]:]); end != nil {
		rest = text[at[1]+end[0]:]
	}
	return text[:at[1]] + withoutObjects(rest)
}

// mostEntries is the length up to which a list is told whole, in bytes.
const mostEntries = 120

// entries describes a list that does not have the expected length. A scenario that filters
// a list expects at most one entry that passes the filter.
func entries(about, list string) (expected, found string) {
	var all []json.RawMessage
	if json.Unmarshal([]byte(list), &all) != nil {
		return "as many entries as in the scenario", list
	}
	expected = "as many entries as in the scenario"
	switch filters := strings.Contains(about, "("); {
	case filters && len(all) == 0:
		expected = "an entry"
	case filters && len(all) == 1:
		expected = "no entry"
	case filters:
		expected = "fewer entries"
	}
	switch len(all) {
	case 0:
		return expected, "none"
	case 1:
		return expected, "1 entry: " + entryInWords(all[0])
	}
	if len(list) <= mostEntries {
		return expected, fmt.Sprintf("%d entries: %s", len(all), strings.Trim(list, "[]"))
	}
	return expected, fmt.Sprintf("%d entries; the first: %s", len(all), entryInWords(all[0]))
}

// entryInWords names an entry that is an object of the API. Any other one is returned as it is.
func entryInWords(entry json.RawMessage) string {
	var object struct {
		Kind     string
		Metadata struct{ Name string }
	}
	if json.Unmarshal(entry, &object) != nil || object.Kind == "" || object.Metadata.Name == "" {
		return string(entry)
	}
	return object.Kind + " " + object.Metadata.Name
}
