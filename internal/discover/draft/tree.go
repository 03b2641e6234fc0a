package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// tree returns a value as YAML, in the order of its Go fields, without empty fields.
func tree(value any) (*yaml.Node, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding the profile: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // keeps the digits
	root, err := node(decoder)
	if err != nil {
		return nil, fmt.Errorf("reading the profile back: %w", err)
	}
	prune(root, reflect.TypeOf(value))
	return root, nil
}

// node returns the next JSON value as YAML, because not all JSON is YAML.
func node(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		kind, tag := yaml.MappingNode, "!!map"
		if v == '[' {
			kind, tag = yaml.SequenceNode, "!!seq"
		}
		list := &yaml.Node{Kind: kind, Tag: tag}
		for decoder.More() {
			below, err := node(decoder)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, below)
		}
		_, err := decoder.Token() // the closing one
		return list, err
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}, nil // YAML knows its type
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}, nil
	case string:
		return strictyaml.Text(v), nil
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	}
}

// prune removes empty fields of a Go value: those without a value, and times of 0 s. In
// some fields users may write anything they like; everything below these stays. It returns
// true if nothing is left.
func prune(n *yaml.Node, of reflect.Type) bool {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case n.Tag == "!!null":
		return true
	case n.Kind == yaml.ScalarNode:
		return n.Tag == "!!str" && (n.Value == "" || n.Value == "0s")
	case of.Kind() == reflect.Struct && of != reflect.TypeFor[apiextensionsv1.JSON]():
		var kept []*yaml.Node
		for i := 0; i < len(n.Content); i += 2 {
			if !prune(n.Content[i+1], fieldType(of, n.Content[i].Value)) {
				kept = append(kept, n.Content[i], n.Content[i+1])
			}
		}
		n.Content = kept
	}
	return len(n.Content) == 0
}

// fieldType returns the type of a field, by its name in JSON.
func fieldType(of reflect.Type, name string) reflect.Type {
	for _, field := range reflect.VisibleFields(of) {
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
			return field.Type
		}
	}
	return of // a type that encodes itself
}

// together returns one line of YAML with all that these lines have, each a mapping.
func together(lines []string) (string, error) {
	all := &yaml.Node{Kind: yaml.MappingNode}
	for _, line := range lines {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(line), &document); err != nil {
			return "", fmt.Errorf("reading %q: %w", line, err)
		}
		include(all, document.Content[0])
	}
	for i := 1; i < len(all.Content); i += 2 {
		all.Content[i].Style |= yaml.FlowStyle
	}
	text, err := yaml.Marshal(all)
	return strings.TrimSpace(string(text)), err
}

// include adds the keys and elements of more to a mapping or a list. What both have stays
// as it is.
func include(into, more *yaml.Node) {
	if into.Kind == yaml.SequenceNode {
		into.Content = append(into.Content, more.Content...)
		return
	}
	for i := 0; i+1 < len(more.Content); i += 2 {
		key, value := more.Content[i], more.Content[i+1]
		if there := valueOf(into, key.Value); there == nil {
			into.Content = append(into.Content, key, value)
		} else if there.Kind == value.Kind && there.Kind != yaml.ScalarNode {
			include(there, value)
		}
	}
}

// valueOf returns the value of a key, or nil.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}
