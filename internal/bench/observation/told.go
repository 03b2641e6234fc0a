package observation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

// told describes the first violations.
func told(violations []v1alpha1.ObservedViolation) string {
	var parts []string
	for _, v := range violations[:min(maxTold, len(violations))] {
		part := v.Excerpt
		if v.Name != "" {
			part = fmt.Sprintf("%s at resourceVersion %s %s", v.Name, v.ResourceVersion, v.Excerpt)
		}
		parts = append(parts, part)
	}
	text := more(parts, len(violations)-maxTold)
	if holds := violations[0].Holds; holds != "" {
		text += "; what came true of it: " + holds
	}
	return text
}

// more joins parts, and says how many are not shown.
func more(parts []string, left int) string {
	text := strings.Join(parts, "; ")
	if left > 0 {
		text += fmt.Sprintf("; and %d more", left)
	}
	return text
}

// excerpt returns what is shown of a version that must never have been: the object without its
// metadata, and the generation, if never reads that. The lock is held.
func (j *judge) excerpt(object map[string]any) map[string]any {
	content := withoutMetadata(object)
	generation, found, _ := unstructured.NestedFieldNoCopy(object, "metadata", "generation")
	reads := func(path []string) bool { return slices.Equal(path, []string{"metadata", "generation"}) }
	if found && slices.ContainsFunc(j.never.reads, reads) {
		content["metadata"] = map[string]any{"generation": generation}
	}
	return content
}

// withoutMetadata returns an object without its type and metadata.
func withoutMetadata(object map[string]any) map[string]any {
	content := maps.Clone(object)
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		delete(content, key)
	}
	return content
}

// marshal returns a value as JSON, cut short.
func marshal(value any, most int) string {
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return sanitize.Cut(string(data), most)
}
