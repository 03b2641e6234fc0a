package page

import (
	"regexp"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
	about "reconform.dev/reconform/internal/report/evidence"
)

// finding is a reason split into its parts, so that it is easy to read. A part that is not
// understood stays in Text.
type finding struct {
	Before    string       // what comes before the step, such as an invariant
	Step      string       // the step that failed
	Operation string       // the operation of the step
	Pairs     []about.Pair // what it expected, and what it found instead, in words
	Text      string       // what else it found
	Requests  []string     // the requests that the text lists
	Cut       bool         // the reason says more
}

// verbs matches the verb of a request.
const verbs = "(?:" + history.VerbGet + "|" + history.VerbList + "|" + history.VerbWatch + "|" + history.VerbCreate + "|" +
	history.VerbUpdate + "|" + history.VerbDelete + "|" + history.VerbOther + ")"

// mostFound is how much of a text is shown at first, in characters.
const mostFound = 420

var (
	atStep = regexp.MustCompile(`(?s)^(.*?)(?:; the scenario failed |it failed |itself it failed )?at "([^"]+)" \(([^)]*)\): (.*)$`)
	// listed matches a list of requests in words. A text may also name a request as in
	// "refused each time (Invalid, #12 the last)".
	listed = regexp.MustCompile(`:? ?(#\d+ ` + verbs + ` [^;]*(?:; #\d+ ` + verbs + ` [^;]*)*(?:; and \d+ more)?)`)
)

// ofNothing is how Chainsaw names the object of an operation that compares values only.
const ofNothing = " / @ *"

func findingOf(r *v1alpha1.Result) finding {
	f := finding{Text: r.Reason}
	if m := atStep.FindStringSubmatch(r.Reason); m != nil {
		f.Before, f.Step, f.Operation, f.Text = strings.Trim(m[1], "; :"), m[2], m[3], m[4]
	}
	f.Pairs, f.Text = about.Expectations(f.Operation, f.Text)
	f.Pairs = about.Happened(r.Evidence, f.Pairs)
	if strings.HasSuffix(f.Operation, ofNothing) {
		f.Operation = ""
	}
	// The text after a list may look like a part of it. Only the last part of a text is a
	// list.
	if at := listed.FindStringSubmatchIndex(f.Text); at != nil && f.Step != "" {
		list, rest := f.Text[at[2]:at[3]], f.Text[at[1]:]
		f.Requests = strings.Split(list, "; ")
		f.Text = f.Text[:at[0]] + rest
	}
	whole := f.Text
	for n := range f.Pairs {
		pair := &f.Pairs[n]
		pair.Expected, pair.Found = sanitize.Cut(pair.Expected, mostFound), sanitize.Cut(pair.Found, mostFound)
	}
	f.Before, f.Text = about.Short(f.Before), sanitize.Cut(about.Short(whole), mostFound)
	f.Cut = f.Text != whole
	return f
}
