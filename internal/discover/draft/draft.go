package draft

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

const heading = `Written by reconform init, from what the controller was seen to do. Each line says how
that is known:

  seen     it was seen, once; the scenarios will look closer
  read     it stands in the CRD, or in the roles
  guessed  nobody knows: make sure

Lines with a question mark ask for what was not seen. What is not claimed is not judged.
docs/profile.md and docs/verdict.md of Reconform explain every field.`

// Write writes the profile under this name.
func Write(name string, found *infer.Findings) ([]byte, error) {
	w := writer{found}
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
	return out.Bytes(), nil
}

type writer struct{ *infer.Findings }

// document returns the profile as YAML, with its comments.
func (w writer) document(name string) (*yaml.Node, error) {
	spec, err := tree(w.Spec)
	if err != nil {
		return nil, err
	}
	w.comment(spec, "")
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
func (w writer) comment(node *yaml.Node, path string) {
	for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		w.comment(value, at)
		note, noted := w.Notes[at]
		compact := plain(value) && width(value) <= widest && at != "claims.features"
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
		if questions := w.Asked[at]; len(questions) > 0 {
			key.HeadComment = join(questionsOf(questions), key.HeadComment)
		}
		if at == "claims.features" {
			for _, feature := range value.Content {
				feature.LineComment = "# " + oneLine(w.Notes["claims.features."+feature.Value].String())
			}
		}
	}
	w.askBelow(node, path)
}

// askBelow writes questions about missing fields below the others.
func (w writer) askBelow(node *yaml.Node, path string) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return
	}
	var questions []string
	for _, at := range sortedKeys(w.Asked) {
		above, key, _ := cutLast(at)
		if above == path && !hasKey(node, key) {
			questions = append(questions, w.Asked[at]...)
		}
	}
	if len(questions) > 0 {
		last := node.Content[len(node.Content)-2]
		last.FootComment = join(last.FootComment, questionsOf(questions))
	}
}

func (w writer) notedBelow(path string) bool {
	for at := range w.Notes {
		if strings.HasPrefix(at, path+".") {
			return true
		}
	}
	return false
}

// plain tells whether no value below a node has a comment.
func plain(node *yaml.Node) bool {
	return !slices.ContainsFunc(node.Content, func(below *yaml.Node) bool {
		return below.LineComment != "" || below.HeadComment != "" || below.FootComment != "" || !plain(below)
	})
}

func width(node *yaml.Node) int {
	total := len(node.Value) + 2
	for _, below := range node.Content {
		total += width(below)
	}
	return total
}

func hasKey(node *yaml.Node, key string) bool {
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return true
		}
	}
	return false
}

func cutLast(path string) (above, key string, found bool) {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func questionsOf(texts []string) string {
	var lines []string
	for _, text := range texts {
		lines = append(lines, "? "+oneLine(text))
	}
	return commented(strings.Join(lines, "\n"))
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

// oneLine makes one line of a text that may come from a subject.
func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
