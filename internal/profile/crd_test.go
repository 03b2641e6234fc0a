package profile

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestSchemaAt: a path leads through fields, lists and maps.
func TestSchemaAt(t *testing.T) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"image":      text,
				"containers": {Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"image": text}}}},
				"roles":      {AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"image": text}}}},
				"free":       {AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}},
			}},
		}},
	}}
	for path, known := range map[string]bool{
		"spec.image":               true,
		"spec.containers[0].image": true,
		"spec.roles.web.image":     true,
		"spec.roles.web.images":    false,
		"spec.roles[0].image":      false,
		"spec.containers.image":    false,
		"spec.free.any":            false, // nothing is said about it
		"spec.image.name":          false,
		"spec.absent.image":        false,
		"":                         false,
	} {
		if got := SchemaAt(version, path); (got != nil) != known || known && got.Type != "string" {
			t.Errorf("%q: %v", path, got)
		}
	}
	if got := SchemaAt(nil, "spec"); got != nil {
		t.Errorf("without a version: %v", got)
	}
}
