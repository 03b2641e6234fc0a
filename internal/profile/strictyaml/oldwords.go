package strictyaml

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// oldWords matches the words without quotes that YAML 1.1 takes for true or false. The tools
// of Kubernetes read that version of YAML, but a [Document] is read as YAML 1.2, for which
// they are texts.
var oldWords = regexp.MustCompile(`^(?:(y|Y|yes|Yes|YES|on|On|ON)|n|N|no|No|NO|off|Off|OFF)$`)

// OldWords returns the words in a field that the tools of Kubernetes would take for true or
// false: in the same text, copied from a manifest, they have another value there.
func (d *Document) OldWords(field string) (found Problems) {
	if node := d.find(field); node != nil {
		found = oldWordsIn(d.File, node, field)
	}
	return found
}

func oldWordsIn(file string, node *yaml.Node, field string) (found Problems) {
	add := func(node *yaml.Node, field, what string, both bool) {
		m := oldWords.FindStringSubmatch(node.Value)
		if node.Kind != yaml.ScalarNode || node.Style != 0 || m == nil {
			return
		}
		means := fmt.Sprint(m[1] != "")
		message := fmt.Sprintf("%s %s, which is a text here, and %s for kubectl: write %q, with quotes", what, node.Value, means, node.Value)
		if both {
			message += ", or " + means
		}
		found = append(found, Problem{File: file, Line: node.Line, Field: field, Message: message})
	}
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			at := join(field, key.Value)
			add(key, at, "the key is", false)
			found = append(found, oldWordsIn(file, value, at)...)
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			found = append(found, oldWordsIn(file, item, fmt.Sprintf("%s[%d]", field, i))...)
		}
	default:
		add(node, field, "is", true)
	}
	return found
}
