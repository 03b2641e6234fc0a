package envtest

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed kwok
var kwokFiles embed.FS

// kwokConfig returns kwok's configuration with all its Stages, as one stream of documents.
// The kubelets that it plays have a version, and a port.
func kwokConfig(version string, kubelet int) ([]byte, error) {
	files, err := fs.Glob(kwokFiles, "kwok/*.yaml")
	if err != nil {
		return nil, err
	}
	shared := map[string][]byte{}
	for _, name := range []string{"kwok/shared.jq", "kwok/shared.gotpl"} {
		if shared[name], err = kwokFiles.ReadFile(name); err != nil {
			return nil, err
		}
	}
	known := strings.NewReplacer("$KUBERNETES", version, "$KUBELET", strconv.Itoa(kubelet))
	var stream bytes.Buffer
	for _, file := range files {
		data, err := kwokFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		document := map[string]any{}
		if err := yaml.UnmarshalStrict(data, &document); err != nil {
			return nil, fmt.Errorf("decoding %s: %w", file, err)
		}
		if kind, _, _ := unstructured.NestedString(document, "spec", "resourceRef", "kind"); kind == "Pod" {
			complete(document, string(shared["kwok/shared.jq"]), string(shared["kwok/shared.gotpl"]))
		}
		if data, err = yaml.Marshal(document); err != nil {
			return nil, fmt.Errorf("encoding %s: %w", file, err)
		}
		stream.WriteString("---\n")
		stream.WriteString(known.Replace(string(data)))
	}
	return stream.Bytes(), nil
}

// complete puts the shared definitions before the expressions and the template of a Stage,
// because kwok itself cannot share definitions.
func complete(stage map[string]any, definitions, templates string) {
	before := func(text string, path ...string) {
		if value, found, _ := unstructured.NestedString(stage, path...); found {
			_ = unstructured.SetNestedField(stage, text+value, path...) // the path exists
		}
	}
	before(templates, "spec", "next", "statusTemplate")
	before(definitions, "spec", "delay", "durationFrom", "expressionFrom")
	expressions, _, _ := unstructured.NestedSlice(stage, "spec", "selector", "matchExpressions")
	for _, expression := range expressions {
		if expression, ok := expression.(map[string]any); ok {
			expression["key"] = fmt.Sprint(definitions, expression["key"])
		}
	}
	_ = unstructured.SetNestedSlice(stage, expressions, "spec", "selector", "matchExpressions")
}
