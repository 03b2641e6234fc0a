package infer

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestUndescribed: fields without a description are found in objects, in lists, and in maps.
func TestUndescribed(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want string }{
		"all":       {"properties: {a: {description: a, properties: {b: {description: b}}}}", ""},
		"an object": {"properties: {a: {description: a, properties: {b: {type: string}}}}", "a.b"},
		"a list":    {"properties: {a: {description: a, items: {properties: {b: {type: string}}}}}", "a[].b"},
		"a map":     {"properties: {a: {description: a, additionalProperties: {properties: {b: {type: string}}}}}", "a.*.b"},
		"a map that has them": {
			"properties: {a: {description: a, additionalProperties: {properties: {b: {type: string, description: b}}}}}", "",
		},
		"a map of texts": {"properties: {a: {description: a, additionalProperties: {type: string}}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var schema apiextensionsv1.JSONSchemaProps
			if err := yaml.Unmarshal([]byte(tc.schema), &schema); err != nil {
				t.Fatal(err)
			}
			if got := undescribed(&schema, ""); got != tc.want {
				t.Errorf("undescribed: %q, want %q", got, tc.want)
			}
		})
	}
}
