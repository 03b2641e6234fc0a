package draft

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/report/paragraph"
)

const heading = `Written by reconform init, from what the controller was seen to do. Each line says how
that is known:

  seen     it was seen, once; the scenarios will look closer
  read     it stands in the CRD, or in the roles
  guessed  nobody knows: make sure

Lines with a question mark ask for what was not seen. A line below that begins with # and
no space may be the answer: take the # away, and put your value for the example. If it
answers several questions, keep only the fields that you can answer. What is not claimed is
not judged. Lines with an exclamation mark tell of what looks like a mistake of the
controller. docs/profile.md and docs/verdict.md of Reconform explain every field.`

// Write writes the profile under this name.
func Write(name string, found *infer.Findings) ([]byte, error) {
	w := &writer{Findings: found}
	root, err := w.document(name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("writing the profile: %w", err)
	}
	return []byte(w.fill(out.String())), nil
}

type writer struct {
	*infer.Findings
	// mark stands where questions will stand below other fields, with the number of their
	// place. No value of the profile has it.
	mark string
	// places have the questions, line by line.
	places [][]string
}

// document returns the profile as YAML, with its comments.
func (w *writer) document(name string) (*yaml.Node, error) {
	spec, err := tree(w.Spec)
	if err != nil {
		return nil, err
	}
	w.mark = "questions-"
	for strings.Contains(fmt.Sprint(texts(spec)), w.mark) {
		w.mark += "-"
	}
	if err := w.comment(spec, ""); err != nil {
		return nil, err
	}
	root := &yaml.Node{Kind: yaml.MappingNode, HeadComment: commented(heading)}
	metadata := &yaml.Node{Kind: yaml.MappingNode}
	add(metadata, "name", &yaml.Node{Kind: yaml.ScalarNode, Value: name})
	add(root, "apiVersion", &yaml.Node{Kind: yaml.ScalarNode, Value: v1alpha1.GroupVersion.String()})
	add(root, "kind", &yaml.Node{Kind: yaml.ScalarNode, Value: "Profile"})
	add(root, "metadata", metadata)
	add(root, "spec", spec)
	return root, nil
}

func add(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}

// widest is the largest width of a mapping that is written on one line.
const widest = 60

// comment writes the notes beside the fields below a path, and the questions above them.
func (w *writer) comment(node *yaml.Node, path string) error {
	for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		if err := w.comment(value, at); err != nil {
			return err
		}
		note, noted := w.Notes[at]
		compact := w.plain(value) && width(value) <= widest && at != "claims.features"
		if compact && value.Kind != yaml.ScalarNode && (noted || !w.notedBelow(at)) && strings.Count(at, ".") > 0 {
			value.Style |= yaml.FlowStyle
		}
		if noted {
			text := oneLine(note.String())
			if value.Kind == yaml.ScalarNode || value.Style&yaml.FlowStyle != 0 {
				value.LineComment = "# " + text
			} else {
				key.HeadComment = join(key.HeadComment, "# "+text)
			}
		}
		if questions := append(w.doubtsOf(at), w.questions(at)...); len(questions) > 0 && at != "claims.features" {
			key.HeadComment = join(strings.Join(questions, "\n"), key.HeadComment)
		}
		if at == "claims.features" {
			for _, feature := range value.Content {
				feature.LineComment = "# " + oneLine(w.Notes["claims.features."+feature.Value].String())
			}
			w.place(value, w.questions(at))
		}
		if at == "serves" && len(value.Content) > 0 {
			if edits := valueOf(value.Content[0], "edits"); edits != nil {
				w.place(edits, w.questions("serves.edits"))
			}
		}
	}
	return w.askBelow(node, path)
}

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

// widestComment is the largest width of a line of a question.
const widestComment = 100

// place keeps a place for lines at the end of a mapping or of a list.
func (w *writer) place(node *yaml.Node, lines []string) {
	if len(lines) == 0 {
		return
	}
	mark := &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprintf("%s%d", w.mark, len(w.places))}
	w.places = append(w.places, lines)
	node.Content = append(node.Content, mark)
	if node.Kind == yaml.MappingNode {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "0"})
	}
}

// fill puts the lines in their places. A comment of a list has the indent of its elements.
func (w *writer) fill(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before, number, found := strings.Cut(line, w.mark)
		place, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(number), ": 0"))
		if !found || err != nil {
			b.WriteString(line)
			continue
		}
		indent := strings.TrimSuffix(before, "- ")
		for _, own := range w.places[place] {
			b.WriteString(indent + own + "\n")
		}
	}
	return b.String()
}

// texts returns all scalars below a node.
func texts(node *yaml.Node) []string {
	all := []string{node.Value}
	for _, below := range node.Content {
		all = append(all, texts(below)...)
	}
	return all
}

func (w *writer) notedBelow(path string) bool {
	for at := range w.Notes {
		if strings.HasPrefix(at, path+".") {
			return true
		}
	}
	return false
}

// plain tells whether no value below a node has a comment or a question.
func (w *writer) plain(node *yaml.Node) bool {
	return !slices.ContainsFunc(node.Content, func(below *yaml.Node) bool {
		return below.LineComment != "" || below.HeadComment != "" || strings.HasPrefix(below.Value, w.mark) || !w.plain(below)
	})
}

func width(node *yaml.Node) int {
	total := len(node.Value) + 2
	for _, below := range node.Content {
		total += width(below)
	}
	return total
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func commented(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimRight("# "+line, " "))
	}
	return strings.Join(lines, "\n")
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	if b == "" {
		return a
	}
	return a + "\n" + b
}

// oneLine makes one line of a text that may come from a subject, or from its webhook. No YAML
// has control characters, not even in a comment.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
}
