package profile

import (
	"regexp"
	"strings"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// Question is what the profile leaves open: a comment that begins with "# ?", as init
// writes it.
type Question struct {
	Line int // of its beginning
	Text string
}

var (
	questionBegins = regexp.MustCompile(`^\s*# \? (.+)`)
	questionGoesOn = regexp.MustCompile(`^\s*#   (\S.*)`)
)

// Questions returns the questions that are open in the file of the profile. A question is
// answered if the line that may answer it has lost its #.
func (p *Profile) Questions() ([]Question, error) {
	data, err := strictyaml.ReadRegular(p.File, maxProfile)
	if err != nil {
		return nil, err
	}
	return questionsIn(string(data)), nil
}

// mayAnswer matches a line that would answer a question: at the indent of the question, a
// value or an element that no comment of init explains.
var mayAnswer = regexp.MustCompile(`^\s*(?:- \S+|\w+: [^#]*[^#\s])\s*$`)

func questionsIn(text string) []Question {
	var all []Question
	open := false
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		if questionBegins.MatchString(line) && isAnswered(lines[n:]) {
			open = false
			continue
		}
		if found := questionBegins.FindStringSubmatch(line); found != nil {
			all, open = append(all, Question{Line: n + 1, Text: strings.TrimSpace(found[1])}), true
		} else if found := questionGoesOn.FindStringSubmatch(line); found != nil && open {
			last := &all[len(all)-1]
			last.Text += " " + strings.TrimSpace(found[1])
		} else {
			open = false
		}
	}
	return all
}

// isAnswered tells whether a question, in the first of these lines, has an answer: in the
// lines after it that may answer, a line without the #.
func isAnswered(lines []string) bool {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	for _, line := range lines[1:] {
		comment := strings.HasPrefix(strings.TrimSpace(line), "#")
		switch {
		case indent(line) != indent(lines[0]), questionBegins.MatchString(line), !comment && !mayAnswer.MatchString(line):
			return false
		case !comment:
			return true
		}
	}
	return false
}
