package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// EditorSchema returns the JSON Schema (draft 7) of profiles, for editors. It is the CRD's
// schema without the parts that only Kubernetes understands, and it refuses unknown fields.
// It is stored in fixtures/profiles/profile.schema.json.
func EditorSchema() ([]byte, error) {
	s, err := profileSchema()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(s.v1)
	if err != nil {
		return nil, fmt.Errorf("encoding the schema of profiles: %w", err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("decoding the schema of profiles: %w", err)
	}
	simplify(root)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Profile"
	root["required"] = []any{"apiVersion", "kind", "metadata", "spec"}

	properties := root["properties"].(map[string]any)
	properties["apiVersion"] = map[string]any{"const": v1alpha1.GroupVersion.String()}
	properties["kind"] = map[string]any{"const": "Profile"}
	words := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	properties["metadata"] = map[string]any{
		"type": "object", "required": []any{"name"}, "additionalProperties": false,
		"properties": map[string]any{
			"name":   map[string]any{"type": "string", "description": "name of the profile, a lower-case word with dashes."},
			"labels": words, "annotations": words,
		},
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the editors' schema: %w", err)
	}
	return append(out, '\n'), nil
}

// simplify drops the Kubernetes extensions from a schema and everything below it, and
// closes objects whose fields are known.
func simplify(schema map[string]any) {
	_, open := schema["x-kubernetes-preserve-unknown-fields"]
	for key := range maps.Clone(schema) {
		if len(key) > 2 && key[:2] == "x-" {
			delete(schema, key)
		}
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			simplify(properties[name].(map[string]any))
		}
		if !open {
			schema["additionalProperties"] = false
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := schema[key].(map[string]any); ok {
			simplify(below)
		}
	}
}
