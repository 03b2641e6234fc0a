package main

import (
	"regexp"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/report/evidence"
)

// wording is one way in which the suite says something, and how a student reads it.
type wording struct {
	suite   *regexp.Regexp
	student string
}

// wordings replace what a student of the labs does not know: the numbers of requests, because a lab
// leaves no history, the name of the subject, which is the student's controller, and the user that
// the bench makes for it.
func wordings() []wording {
	return []wording{
		{regexp.MustCompile(`(?m)^the controller has not written (?:endpointslices|pods|replicasets)\n`), ""}, // no controller of a lab does
		{regexp.MustCompile(`(?m)^seen: \S+ of events .*\n?`), ""},                                            // the Event itself is shown
		{forbidden, ""},
		{regexp.MustCompile(` \((?:#\d+(?:, )?)+\)`), ""},
		{regexp.MustCompile(`, #\d+ the last\b`), ""},
		{regexp.MustCompile(`#\d+(?:: | )`), ""},
		{regexp.MustCompile(` \(#\d+\b`), " ("},
		{regexp.MustCompile(` \(noop\)`), " (it changed nothing)"},
		{regexp.MustCompile(` \(effective\)`), ""},
		{regexp.MustCompile(`\bno effective writes\b(?: \(that change something\))?`), "no write that changes anything"},
		{regexp.MustCompile(`\beffective writes\b(?: \(that change something\))?`), "writes that change something"},
		{regexp.MustCompile(`\ba Fault of the scenario\b`), "this check"},
		{regexp.MustCompile(`\bUser "system:serviceaccount:[^"\s]*"`), "your controller"},
		{regexp.MustCompile(`expected the subject to fall quiet within (\S+); found it did not`), "it has not come to rest within $1: it sends one request after the other, though nothing has changed"},
		{regexp.MustCompile(`, in Subject subject\b`), ""},
		{regexp.MustCompile(`\bthe subject\b`), "your controller"},
	}
}

var (
	byReplica = regexp.MustCompile(` by subject-0\b`)
	replica   = regexp.MustCompile(`\bsubject-(\d+)\b`)
)

// inLabWords returns what the suite says in words that a student of the labs knows.
func inLabWords(text string) string {
	for _, w := range wordings() {
		text = w.suite.ReplaceAllString(text, w.student)
	}
	if strings.Contains(text, "subject-1") {
		return replica.ReplaceAllString(text, "replica $1")
	}
	return replica.ReplaceAllString(byReplica.ReplaceAllString(text, ""), "your controller")
}

// forbidden matches the beginning of the bench's message about a missing right. After it comes the
// message of the API server, which says the same.
var forbidden = regexp.MustCompile(`\bForbidden: subject-\d+ has no right to [^:]*: `)

// found says why a goal is not reached. It tells what was seen, as the end of a run does, but without
// the hint, which is for authors of controllers.
func found(f *check.Finding) string {
	text, _, _ := strings.Cut(f.Reason, "; it relies on what was not judged here")
	if f.Result == nil || f.Result.Evidence == nil {
		return inLabWords(text)
	}
	result, e := *f.Result, f.Result.Evidence
	result.Reason = text
	lines := append([]string{evidence.Brief(&result)}, evidence.InBrief(e)...)
	// The expected and the found value say it better than all of both objects.
	if _, difference, ok := strings.Cut(e.Difference, "--- expected\n"); ok && len(evidence.Pairs(text)) == 0 {
		lines = append(lines, "--- expected\n"+strings.TrimSpace(difference))
	}
	if !forbidden.MatchString(text) { // the right that is missing says it
		lines = append(lines, e.Requests...)
	}
	const few = 8
	if last := strings.TrimSpace(strings.Join(e.Log[max(0, len(e.Log)-few):], "\n  ")); last != "" {
		lines = append(lines, "the last lines of your controller:\n  "+last)
	}
	return inLabWords(strings.Join(lines, "\n"))
}

// untried tells whether nothing was found out about the goal, because the scenario did not get
// that far.
func untried(f *check.Finding) bool {
	return f.Result != nil && f.Verdict == v1alpha1.ResultInconclusive && strings.HasPrefix(f.Reason, "the scenario could not be carried out")
}

// endedAtOnce tells whether the controller has ended before the scenario did anything.
func endedAtOnce(f *check.Finding) bool {
	return f.Result != nil && strings.HasPrefix(f.Reason, "Crashed: ") && strings.Contains(f.Reason, `in the step "Given the controller"`)
}

// neverReady tells whether the controller ran, and did not become ready.
func neverReady(f *check.Finding) bool {
	return strings.HasPrefix(f.Reason, "the controller did not start; ") || untried(f) && strings.Contains(f.Reason, `"Given the controller"`)
}

// toldFirst returns the finding that a student is told of: the first goal that was tried and is not
// reached, because that may be why others could not be tried. If none was tried, it is the first.
func toldFirst(findings []check.Finding) *check.Finding {
	var first *check.Finding
	for n := range findings {
		f := &findings[n]
		switch {
		case f.Reached() || f.Needs != "":
		case first == nil:
			first = f
		case untried(first) && !untried(f):
			return f
		}
	}
	return first
}
