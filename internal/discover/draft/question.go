package draft

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/report/paragraph"
)

// askBelow writes questions about missing fields below the others. If the parent of a
// field is missing, too, the question stands in the place of the parent.
func (w *writer) askBelow(node *yaml.Node, path string) error {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return nil
	}
	missing := map[string][]string{} // what is asked about, by the key that is missing here
	for _, at := range sortedKeys(w.Asked) {
		below, isBelow := strings.CutPrefix(at, path+".")
		if path == "" {
			below, isBelow = at, true
		}
		if key, _, _ := strings.Cut(below, "."); isBelow && valueOf(node, key) == nil {
			missing[key] = append(missing[key], at)
		}
	}
	var lines []string
	for _, key := range sortedKeys(missing) {
		more, err := w.questionsIn(strings.TrimPrefix(path+"."+key, "."), missing[key])
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	w.place(node, lines)
	return nil
}

// questionsIn returns the questions about a missing field, and about fields below it. The
// lines that may answer have all missing fields. If several fields are asked about, they
// have one answer together, because the field above them can be given only once.
func (w *writer) questionsIn(missing string, paths []string) ([]string, error) {
	var lines, answers []string
	for _, at := range paths {
		for _, question := range w.Asked[at] {
			lines = append(lines, questionLines(question.Text)...)
			for _, line := range question.Lines {
				line = wrapped(line, missing, at)
				if len(paths) > 1 {
					answers = append(answers, line)
					continue
				}
				lines = append(lines, "#"+line)
			}
		}
	}
	if len(answers) == 0 {
		return lines, nil
	}
	answer, err := together(answers)
	if err != nil {
		return nil, fmt.Errorf("writing an answer for %s: %w", missing, err)
	}
	return append(lines, "#"+answer), nil
}

// wrapped returns a line about the field at a path inside of its missing parents.
func wrapped(line, missing, at string) string {
	steps := strings.Split(at, ".")
	around := steps[strings.Count(missing, ".") : len(steps)-1]
	if at == "claims.features" {
		around = []string{"features"} // its lines are elements
	}
	for _, above := range slices.Backward(around) {
		if element, isElement := strings.CutPrefix(line, "- "); isElement {
			line = above + ": [" + element + "]"
		} else {
			line = above + ": {" + line + "}"
		}
	}
	return line
}

// questions returns the lines of the questions about a field that is there.
func (w *writer) questions(at string) []string {
	var lines []string
	for _, question := range w.Asked[at] {
		lines = append(lines, questionLines(question.Text)...)
		for _, line := range question.Lines {
			lines = append(lines, "#"+line)
		}
	}
	return lines
}

// doubtsOf returns what looks like a mistake of the controller, about a field.
func (w *writer) doubtsOf(at string) []string {
	var lines []string
	for _, doubt := range w.Doubts {
		if doubt.Path == at {
			lines = append(lines, paragraph.Wrap("A MISTAKE? "+oneLine(doubt.Text), widestComment, "# ! ", "#   ")...)
		}
	}
	return lines
}

func questionLines(text string) []string {
	return paragraph.Wrap(oneLine(text), widestComment, "# ? ", "#   ")
}
