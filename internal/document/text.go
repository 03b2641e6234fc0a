package document

import "go.yaml.in/yaml/v3"

// Text is the node of a text that every version of YAML reads as one: 1.1 takes yes and
// 1:30 for something else. Where it has several lines it gets the quotes in which every
// character can be written.
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
