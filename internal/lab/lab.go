package lab

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Kind of a lab.
type Kind string

// The kinds of labs.
const (
	// Build: the student writes the next part of a controller.
	Build Kind = "build"
	// Debug: the student finds and corrects a mistake in a whole controller.
	Debug Kind = "debug"
	// Exercise: a controller of any origin is graded.
	Exercise Kind = "exercise"
	// Predict: the student predicts a measurement, and then it is measured.
	Predict Kind = "predict"
	// Beyond: an extension of the last build lab. These labs can be done in any order.
	Beyond Kind = "beyond"
)

// kinds returns all kinds.
func kinds() []Kind { return []Kind{Build, Debug, Exercise, Predict, Beyond} }

// Lab is one lab, as its lab.yaml describes it.
type Lab struct {
	// Folder is the path of its folder, which begins with its number if it has one.
	Folder string `json:"-"`

	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	// Checks are the goals, in the order in which a student should reach them.
	Checks []Check `json:"checks"`
	// Mistake of a debug lab, in a sentence, and the Mutant of the kill matrix that makes it.
	Mistake string `json:"mistake,omitempty"`
	Mutant  string `json:"mutant,omitempty"`
	// Fails says which check the start fails, and for which reason.
	Fails *Failure `json:"fails,omitempty"`
	// Hints, each more helpful than the one before.
	Hints []Hint `json:"hints,omitempty"`
	// HintsIn are the hints for a start in another language than Go, by the language's name.
	HintsIn map[string][]Hint `json:"hintsIn,omitempty"`
	// Controller of an experiment: the folder of the lab whose solution it is. Default: that
	// of the last build lab.
	Controller string `json:"controller,omitempty"`
	// Arguments are added to the command of the controller in an experiment.
	Arguments []string `json:"arguments,omitempty"`
	// Questions of an experiment.
	Questions []Question `json:"questions,omitempty"`
}

// Check is one goal.
type Check struct {
	// ID of a requirement, or of a rule of a play.
	ID string `json:"id"`
	// Criterion is the exercise's own text for it, if it has one.
	Criterion string `json:"criterion,omitempty"`
	// Next is the next step for a student who has not reached it. In a debug lab it would say
	// too much.
	Next string `json:"next,omitempty"`
	// InGo says how that is done in Go. Who works in another language does not see it.
	InGo string `json:"inGo,omitempty"`
	// Seen are other next steps, for what may have been seen: the first that matches counts.
	Seen []Seen `json:"seen,omitempty"`
	// Slow checks take longer than a student should wait. Only a thorough check runs them.
	Slow bool `json:"slow,omitempty"`
}

// Seen is the next step for one of several mistakes that fail a check.
type Seen struct {
	Because string `json:"because"` // matches what was seen
	Next    string `json:"next"`
	InGo    string `json:"inGo,omitempty"`
}

// Step returns the next step for a student who works in a language, and in whose controller
// something was seen. The language "" is Go. The step is "" if the lab names none.
func (c *Check) Step(seen, language string) string {
	next, inGo := c.Next, c.InGo
	for _, other := range c.Seen {
		if other.because().MatchString(seen) {
			next, inGo = other.Next, other.InGo
			break
		}
	}
	if language == "" && inGo != "" {
		return next + " " + inGo
	}
	return next
}

func (s *Seen) because() *regexp.Regexp { return regexp.MustCompile("(?s)" + s.Because) }

// Quick returns the lab without its slow checks.
func (l *Lab) Quick() *Lab {
	quick := *l
	quick.Checks = slices.DeleteFunc(slices.Clone(l.Checks), func(c Check) bool { return c.Slow })
	return &quick
}

// Slow returns the checks that Quick leaves out.
func (l *Lab) Slow() []Check {
	return slices.DeleteFunc(slices.Clone(l.Checks), func(c Check) bool { return !c.Slow })
}

// Failure is a check that a start fails.
type Failure struct {
	ID      string `json:"id"`
	Because string `json:"because"` // matches the reason
}

// Hint is one hint, and the place that it is about.
type Hint struct {
	File   string `json:"file"`
	Symbol string `json:"symbol"`
	Text   string `json:"text"`
}

// HintsFor returns the hints for a start in a language. The language "" is Go.
func (l *Lab) HintsFor(language string) []Hint {
	if language == "" {
		return l.Hints
	}
	return l.HintsIn[language]
}

// Number returns the number of the lab, such as 03, or its folder if it has no number.
func (l *Lab) Number() string {
	if l.Kind != Build {
		return l.Folder
	}
	number, _, _ := strings.Cut(l.Folder, "-")
	return number
}

// WorkFolder returns the default name of the folder that a student works in.
func (l *Lab) WorkFolder() string { return strings.ReplaceAll(l.Folder, "/", "-") }

// Given tells whether the lab gives something to begin with. The exercise does not: it
// grades any controller.
func (l *Lab) Given() bool { return l.Kind != Exercise }

// Read reads the labs of a folder, in their order.
func Read(labs fs.FS) ([]*Lab, error) {
	var all []*Lab
	for _, pattern := range []string{"*/lab.yaml", "*/*/lab.yaml"} {
		files, err := fs.Glob(labs, pattern)
		if err != nil {
			return nil, fmt.Errorf("looking for labs: %w", err)
		}
		slices.Sort(files)
		of, err := readEach(labs, files)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

func readEach(labs fs.FS, files []string) (all []*Lab, err error) {
	for _, file := range files {
		data, err := fs.ReadFile(labs, file)
		if err != nil {
			return nil, fmt.Errorf("reading a lab: %w", err)
		}
		l := &Lab{Folder: path.Dir(file)}
		if err := yaml.UnmarshalStrict(data, l); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		if !slices.Contains(kinds(), l.Kind) {
			return nil, fmt.Errorf("reading %s: kind is %q, and must be one of %s", file, l.Kind, kinds())
		}
		for _, c := range l.Checks {
			for _, s := range c.Seen {
				if _, err := regexp.Compile(s.Because); err != nil {
					return nil, fmt.Errorf("reading %s: what is seen by %s: %w", file, c.ID, err)
				}
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// Find returns the lab with a number, with or without its leading zero, or with a folder.
func Find(labs []*Lab, name string) (*Lab, error) {
	name = strings.TrimSuffix(name, "/") // as a shell completes the name of a folder
	for _, l := range labs {
		if name != "" && (l.Folder == name || withoutZeros(l.Number()) == withoutZeros(name)) {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%q: no such lab (reconform lab list shows all)", name)
}

// withoutZeros removes leading zeros: 03 becomes 3, and debug/03 becomes debug/3.
func withoutZeros(number string) string {
	return strings.ReplaceAll(strings.TrimLeft(number, "0"), "/0", "/")
}
