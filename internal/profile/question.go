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

// Questions returns the questions that are still in the file of the profile.
func (p *Profile) Questions() ([]Question, error) {
	data, err := strictyaml.ReadRegular(p.File, maxProfile)
	if err != nil {
		return nil, err
	}
	return questionsIn(string(data)), nil
}

func questionsIn(text string) []Question {
	var all []Question
	open := false
	for n, line := range strings.Split(text, "\n") {
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
