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
