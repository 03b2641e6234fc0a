package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
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
	// Debug: the student finds and mends a mistake in a whole controller.
	Debug Kind = "debug"
	// Exercise: any controller is graded, from wherever it comes.
	Exercise Kind = "exercise"
	// Predict: the student says what will be measured, and then it is measured.
	Predict Kind = "predict"
	// Beyond: built on the last build lab, in any order.
	Beyond Kind = "beyond"
)

// kinds are all of them.
func kinds() []Kind { return []Kind{Build, Debug, Exercise, Predict, Beyond} }

// Lab is one lab, as its lab.yaml says.
type Lab struct {
	// Folder is the path of its folder, which begins with its number where it has one.
	Folder string `json:"-"`

	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	// Checks are what is looked at, in the order in which a student should go on.
	Checks []Check `json:"checks"`
	// Mistake of a debug lab, in a sentence, and the Mutant of the kill matrix that makes it.
	Mistake string `json:"mistake,omitempty"`
	Mutant  string `json:"mutant,omitempty"`
	// Fails says what the start fails, and for which reason.
	Fails *Failure `json:"fails,omitempty"`
	// Hints help more and more.
	Hints []Hint `json:"hints,omitempty"`
	// HintsIn are those for a start in another language than Go, by its name.
	HintsIn map[string][]Hint `json:"hintsIn,omitempty"`
	// Arguments are added to the command of the controller in an experiment.
	Arguments []string `json:"arguments,omitempty"`
	// Questions of an experiment.
	Questions []Question `json:"questions,omitempty"`
}

// Check is one thing to reach.
type Check struct {
	// ID of a requirement, or of a rule of a play.
	ID string `json:"id"`
	// Criterion is what the exercise calls it, where it has words of its own.
	Criterion string `json:"criterion,omitempty"`
	// Next is the next step of one who has not reached it. In a debug lab it would say too
	// much.
	Next string `json:"next,omitempty"`
	// Slow ones take longer than a student should wait: only a thorough check has them.
	Slow bool `json:"slow,omitempty"`
}

// Quick is the lab without its slow checks.
func (l *Lab) Quick() *Lab {
	quick := *l
	quick.Checks = slices.DeleteFunc(slices.Clone(l.Checks), func(c Check) bool { return c.Slow })
	return &quick
}

// Failure is what a start fails.
type Failure struct {
	ID      string `json:"id"`
	Because string `json:"because"` // matches the reason
}

// Hint is one help, and the place that it is about.
type Hint struct {
	File   string `json:"file"`
	Symbol string `json:"symbol"`
	Text   string `json:"text"`
}

// HintsFor a start in a language; empty: Go.
func (l *Lab) HintsFor(language string) []Hint {
	if language == "" {
		return l.Hints
	}
	return l.HintsIn[language]
}

// Number of the lab, as in 03; its folder where it has none.
func (l *Lab) Number() string {
	if l.Kind != Build {
		return l.Folder
	}
	number, _, _ := strings.Cut(l.Folder, "-")
	return number
}

// WorkFolder is the name of the folder that a student gets who does not give one.
func (l *Lab) WorkFolder() string { return strings.ReplaceAll(l.Folder, "/", "-") }

// Given tells whether there is something to begin with: not where any controller is graded.
func (l *Lab) Given() bool { return l.Kind != Exercise }

// Read the labs of a folder, in their order.
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
		all = append(all, l)
	}
	return all, nil
}

// ErrUnknown says that there is no such lab.
var ErrUnknown = errors.New("no such lab (reconform lab list shows all)")

// Find the lab of a number, with or without its zero, or of a folder.
func Find(labs []*Lab, name string) (*Lab, error) {
	for _, l := range labs {
		if name != "" && (l.Folder == name || withoutZeros(l.Number()) == withoutZeros(name)) {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%q: %w", name, ErrUnknown)
}

// withoutZeros is a number as 3 of 03, and debug/3 of debug/03.
func withoutZeros(number string) string {
	return strings.ReplaceAll(strings.TrimLeft(number, "0"), "/0", "/")
}
