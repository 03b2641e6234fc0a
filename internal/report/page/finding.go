package page

import (
	"fmt"
	"regexp"
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
)

// finding is a reason split into its parts, so that it is easy to read. A part that is not
// understood stays in Text.
type finding struct {
	Before    string   // what comes before the step, such as an invariant
	Step      string   // the step that failed
	Operation string   // the operation of the step
	Text      string   // what it found
	Requests  []string // the requests that the text lists
	Cut       bool     // the reason says more
}

// mostFound is how much of a text is shown at first, in bytes.
const mostFound = 420

var (
	atStep = regexp.MustCompile(`(?s)^(.*?)(?:; the scenario failed |it failed |itself it failed )?at "([^"]+)" \(([^)]*)\): (.*)$`)
	// listed matches a list of requests in words.
	listed  = regexp.MustCompile(`:? ?(#\d+ [a-z]+ [^;]*(?:; #\d+ [a-z]+ [^;]*)*(?:; and \d+ more)?)`)
	numbers = regexp.MustCompile(`(\[?(?:\d+ ){9}\d+)((?: \d+)+)`)
)

func findingOf(reason string) finding {
	f := finding{Text: reason}
	if m := atStep.FindStringSubmatch(reason); m != nil {
		f.Before, f.Step, f.Operation, f.Text = strings.Trim(m[1], "; :"), m[2], m[3], m[4]
	}
	// The text after a list may look like a part of it. Only the last part of a text is a
	// list.
	if at := listed.FindStringSubmatchIndex(f.Text); at != nil && f.Step != "" {
		list, rest := f.Text[at[2]:at[3]], f.Text[at[1]:]
		f.Requests = strings.Split(list, "; ")
		f.Text = f.Text[:at[0]] + rest
	}
	whole := f.Text
	f.Before, f.Text = short(f.Before), sanitize.Cut(short(whole), mostFound)
	f.Cut = f.Text != whole
	return f
}

// short leaves out most numbers of a long row.
func short(text string) string {
	return numbers.ReplaceAllStringFunc(text, func(row string) string {
		m := numbers.FindStringSubmatch(row)
		return fmt.Sprintf("%s … (%d more)", m[1], len(strings.Fields(m[2])))
	})
}

// pair is what was expected, and what was observed instead.
type pair struct{ expected, observed string }

// The ways in which steps say what they expected. Each has the groups expected and
// observed, and may have a group for the subject of the sentence.
var expectations = []*regexp.Regexp{
	regexp.MustCompile(`(?P<about>[^\s*][^\n]*?): Invalid value: (?P<observed>[^\n]*?): Expected value: (?P<expected>[^\n;]*)`),
	regexp.MustCompile(`(?P<about>[^\s*][^\n]*?): Invalid value: (?P<observed>[^\n]*?): (?P<expected>value is null|lengths of slices don't match)`),
	regexp.MustCompile(`(?P<about>\S+) - resource (?P<observed>matches expectation)`),
	regexp.MustCompile(`(?P<observed>actual resource not found)`),
	regexp.MustCompile(`expected: (?P<expected>[^;\n]*); found: (?P<observed>[^;\n]*)`),
	regexp.MustCompile(`expected (?P<expected>the subject to fall quiet within [\d.a-z]+)(?P<observed>)`),
	regexp.MustCompile(`never expected "(?P<never>[^\n]*?)", seen: (?P<observed>[^\n]*)`),
	regexp.MustCompile(`expected "(?P<expected>[^\n]*?)"(?: within [\d.a-z]+)?, seen at the end: (?P<observed>[^\n]*)`),
	regexp.MustCompile(`expected (?P<expected>[^;"\n]*?), found (?P<observed>[^;\n]*?)(?: in [\d.]+[a-z]+[\d.a-z]*(?::|$)|;|$)`),
}

// pairs returns the pairs in a text, each once.
func pairs(text string) []pair {
	var found []pair
	known := map[pair]bool{}
	for _, way := range expectations {
		for _, m := range way.FindAllStringSubmatch(text, -1) {
			group := func(name string) string {
				if n := way.SubexpIndex(name); n >= 0 {
					return strings.TrimSpace(m[n])
				}
				return ""
			}
			p := pair{group("expected"), group("observed")}
			switch {
			case p.expected == "value is null":
				p = pair{"something", "nothing"}
			case strings.HasPrefix(p.expected, "lengths of"):
				p.expected = "as many as in the scenario"
			case p.observed == "actual resource not found":
				p = pair{"such an object", "there is none"}
			case p.observed == "matches expectation":
				p = pair{"no such object", "it is there"}
			case group("never") != "":
				p.expected = "never " + group("never")
			case p.observed == "":
				p.observed = "it did not"
			}
			if about := group("about"); about != "" {
				p = pair{about + ": " + p.expected, about + ": " + p.observed}
			}
			if p.expected, p.observed = short(p.expected), short(p.observed); !known[p] {
				known[p] = true
				found = append(found, p)
			}
		}
	}
	return found
}
