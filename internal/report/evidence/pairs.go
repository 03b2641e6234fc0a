package evidence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Pair is what was expected of something, and what was found instead.
type Pair struct {
	// About names the field or the object; empty if the text does not name it.
	About           string
	Expected, Found string
}

// noObject is what was found if an Observation saw no object at its end.
const noObject = "no such object"

// thereIsOne is what was expected if nothing was found: the name of the step says what.
const thereIsOne = "that there is one"

// The ways in which steps say what they expected. Each has the groups expected and
// observed, and may have groups for the subject of the sentence, and for the values of what it
// compares.
var expectations = []*regexp.Regexp{
	regexp.MustCompile(`(?P<about>[^\s*][^\n]*?): Invalid value: (?P<observed>[^\n]*?): Expected value: (?P<expected>[^\n;]*)(?:; where (?P<values>[^\n;]*))?`),
	regexp.MustCompile(`(?P<about>[^\s*][^\n]*?): Invalid value: (?P<observed>[^\n]*?): (?P<expected>value is null|lengths of slices don't match)`),
	regexp.MustCompile(`(?P<about>[^\s*][^\n]*?): Required value: (?P<absent>field not found)[^\n;]*(?P<observed>)(?P<expected>)`),
	regexp.MustCompile(`(?P<about>\S+) - resource (?P<observed>matches expectation)`),
	regexp.MustCompile(`(?P<observed>actual resource not found)`),
	regexp.MustCompile(`(?:(?P<about>the [^:;\n]*): )?expected: (?P<expected>[^;\n]*); found: (?P<observed>(?:\((?:[^()\n]|\([^()\n]*\))*\)|[^;(\n])*)`),
	regexp.MustCompile(`expected (?P<expected>the subject to fall quiet within [\d.a-z]+)(?P<observed>)`),
	regexp.MustCompile(`never expected "(?P<never>[^\n]*?)", seen: (?P<observed>` + allSeen + `)`),
	regexp.MustCompile(`expected "(?P<second>[^\n]*?)" after "(?P<first>[^\n]*?)", was true at resourceVersion (?P<observed>\d+, and the other not (?:before|within) [\d.a-z]+)`),
	regexp.MustCompile(`expected "(?P<eventually>[^\n]*?)"(?: within [\d.a-z]+(?: \([^)]*\))?)?, seen at the end: (?P<observed>` + allSeen + `)`),
	regexp.MustCompile(`expected (?P<expected>[^;"\n]*?), found (?P<observed>[^;\n]*?)(?: in [\d.]+[a-z]+[\d.a-z]*(?::|$)|;|$)`),
}

// Pairs returns the pairs in a text, each once.
func Pairs(text string) []Pair {
	var found []Pair
	text = notAsExpected.ReplaceAllString(text, "")
	for _, way := range expectations {
		for _, m := range way.FindAllStringSubmatch(text, -1) {
			group := func(name string) string {
				if n := way.SubexpIndex(name); n >= 0 {
					return strings.TrimSpace(m[n])
				}
				return ""
			}
			p := Pair{strings.TrimLeft(group("about"), "; "), group("expected"), group("observed")}
			switch {
			case refused.MatchString(p.About):
				p = refusal(p)
			case group("eventually") != "":
				p.Expected = inWords(group("eventually"))
				if rest, none := strings.CutPrefix(p.Found, "nothing"); none && (rest == "" || rest[0] == ';') {
					p.Found = noObject + rest
				}
				if p.Expected == there {
					p.Expected, p.Found = thereIsOne, strings.Replace(p.Found, noObject, "none", 1)
				}
			case group("second") != "":
				p.Expected = fmt.Sprintf("first: %s; and then: %s", inWords(group("first")), inWords(group("second")))
				p.Found = "the second at resourceVersion " + strings.Replace(p.Found, "the other", "the first", 1)
			case group("never") != "":
				p = never(group("never"), besides.ReplaceAllString(p.Found, ""))
			case group("values") != "":
				p.Found = group("values")
			case violations.MatchString(p.About):
				p = violation(p)
			case p.Expected == "value is null", group("absent") != "":
				p.Expected, p.Found = something, "none"
			case strings.HasPrefix(p.Expected, "lengths of") && strings.Contains(p.About, "group_by("):
				_, p.Found = entries(p.About, p.Found)
				p.Expected, p.About = "each only once", ""
			case strings.HasPrefix(p.Expected, "lengths of"):
				p.Expected, p.Found = entries(p.About, p.Found)
			case p.Found == "actual resource not found":
				p.Expected, p.Found = thereIsOne, "there is none"
			case p.Found == "matches expectation":
				p.Expected, p.Found = "no such object", "it is there"
			case p.Found == "":
				p.Found = "it did not"
			}
			if group("never") == "" {
				p.Found = withoutObjects(besides.ReplaceAllString(p.Found, ""))
			}
			if group("eventually") != "" {
				p.Found = values(p.Found)
			}
			p.Expected, p.Found = withMeaning(Short(p.Expected)), Short(p.Found)
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	return found
}

// withMeaning says beside a term of the suite what it means. A reader of a failure has not
// read the documentation.
func withMeaning(expected string) string {
	return strings.NewReplacer(
		"effective writes", "effective writes (that change something)",
		"no-op or refused writes", "no-op or refused writes (that change nothing)",
		"no-op writes", "no-op writes (that change nothing)",
	).Replace(expected)
}

var numbers = regexp.MustCompile(`(\[?(?:\d+ ){9}\d+)((?: \d+)+)`)

// Short leaves out most numbers of a long row.
func Short(text string) string {
	return numbers.ReplaceAllStringFunc(text, func(row string) string {
		m := numbers.FindStringSubmatch(row)
		return fmt.Sprintf("%s … (%d more)", m[1], len(strings.Fields(m[2])))
	})
}
