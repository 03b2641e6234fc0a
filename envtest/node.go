package envtest

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

//go:embed kwok/*.yaml
var kwokFiles embed.FS

// fakeNode returns the Node that kwok keeps alive.
func fakeNode() (*corev1.Node, error) {
	data, err := kwokFiles.ReadFile("kwok/node.yaml")
	if err != nil {
		return nil, err
	}
	node := &corev1.Node{}
	if err := yaml.UnmarshalStrict(data, node); err != nil {
		return nil, fmt.Errorf("decoding the fake Node: %w", err)
	}
	return node, nil
}

// kwokConfig returns kwok's configuration with all its Stages, as one stream of documents.
func kwokConfig() ([]byte, error) {
	files, err := fs.Glob(kwokFiles, "kwok/*.yaml")
	if err != nil {
		return nil, err
	}
	var stream bytes.Buffer
	for _, file := range files {
		if file == "kwok/node.yaml" {
			continue
		}
		data, err := kwokFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		stream.WriteString("---\n")
		stream.Write(data)
	}
	return stream.Bytes(), nil
}
