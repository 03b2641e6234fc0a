package strictyaml

import "go.yaml.in/yaml/v3"

// Text returns a node that every version of YAML reads as a text. For YAML 1.1, yes is a
// boolean and 1:30 is a number. A text of several lines gets double quotes, because these
// allow every character.
func Text(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	written := &yaml.Node{}
	switch err := written.Encode(text); {
	case err == nil && written.Style&yaml.SingleQuotedStyle != 0:
		node.Style = yaml.SingleQuotedStyle
	case err != nil || written.Style != 0 || written.ShortTag() != "!!str":
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}
