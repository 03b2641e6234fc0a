package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// YAML encodes the report for people: the fields are in the order of their types, with the
// verdict near the top. The usual encoder for Kubernetes objects would sort them.
// Each style, if any are given, may change how a row of the results is written.
func YAML(report *v1alpha1.ConformanceReport, styles ...func(v1alpha1.Result, *yaml.Node)) ([]byte, error) {
	document, err := inOrder(report)
	if err != nil {
		return nil, err
	}
	for n, row := range valueOf(document.Content[0].Content, "results").Content {
		for _, style := range styles {
			style(report.Results[n], row)
		}
	}
	return encoded(document)
}

// inOrder returns an object as a document whose fields are in the order of their types.
func inOrder(object any) (*yaml.Node, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var document yaml.Node // JSON is YAML, and a node keeps the order
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading the encoded report: %w", err)
	}
	unstyle(&document)
	// TypeMeta has the kind first; everywhere else the apiVersion comes first.
	fields := document.Content[0].Content
	fields[0], fields[1], fields[2], fields[3] = fields[2], fields[3], fields[0], fields[1]
	return &document, nil
}

func encoded(document *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// valueOf returns the value of a field among the fields of a mapping. It is empty if
// the mapping does not have the field.
func valueOf(fields []*yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i].Value == name {
			return fields[i+1]
		}
	}
	return &yaml.Node{}
}

// unstyle removes the braces and quotes of JSON, unless YAML needs them.
func unstyle(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		unstyle(child)
	}
}
