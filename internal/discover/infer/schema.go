package infer

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// Required returns only those parts of a spec that the CRD requires.
func Required(schema *apiextensionsv1.JSONSchemaProps, spec map[string]any) map[string]any {
	needed := map[string]any{}
	if schema == nil {
		return needed
	}
	for _, name := range schema.Required {
		value, given := spec[name]
		if !given {
			continue
		}
		property := schema.Properties[name]
		if below, ok := value.(map[string]any); ok && len(property.Properties) > 0 {
			value = Required(&property, below)
		}
		needed[name] = value
	}
	return needed
}

// fromSchema returns the default and the bounds of a field of the CRD.
func fromSchema(version *apiextensionsv1.CustomResourceDefinitionVersion, field *v1alpha1.Field) (byDefault *int32, bounds *v1alpha1.Range) {
	if field == nil || field.Path == "" {
		return nil, nil
	}
	schema := profile.SchemaAt(version, field.Path)
	if schema == nil {
		return nil, nil
	}
	if schema.Default != nil {
		var value int32
		if json.Unmarshal(schema.Default.Raw, &value) == nil {
			byDefault = &value
		}
	}
	return byDefault, boundsOf(schema)
}

// boundsOf returns the least and the greatest whole number that a schema accepts, or nil if it
// has no such bounds, or a profile cannot name them.
func boundsOf(schema *apiextensionsv1.JSONSchemaProps) *v1alpha1.Range {
	if schema.Minimum == nil || schema.Maximum == nil {
		return nil
	}
	least, most := math.Ceil(*schema.Minimum), math.Floor(*schema.Maximum)
	if schema.ExclusiveMinimum && least == *schema.Minimum {
		least++
	}
	if schema.ExclusiveMaximum && most == *schema.Maximum {
		most--
	}
	if least < math.MinInt32 || most > math.MaxInt32 || least > most {
		return nil
	}
	return &v1alpha1.Range{Minimum: int32(least), Maximum: int32(most)}
}

// undescribed returns a field of the schema that has no description, or "" if all have one.
func undescribed(schema *apiextensionsv1.JSONSchemaProps, path string) string {
	if schema == nil {
		return "all"
	}
	for _, name := range sorted(schema.Properties) {
		property := schema.Properties[name]
		at := strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), ".")
		if property.Description == "" && at != "metadata" {
			return at
		}
		if below := undescribed(&property, at); len(property.Properties) > 0 && below != "" {
			return below
		}
		if property.Items != nil && property.Items.Schema != nil && len(property.Items.Schema.Properties) > 0 {
			if below := undescribed(property.Items.Schema, at+"[]"); below != "" {
				return below
			}
		}
		if of := property.AdditionalProperties; of != nil && of.Schema != nil && len(of.Schema.Properties) > 0 {
			if below := undescribed(of.Schema, at+".*"); below != "" {
				return below
			}
		}
	}
	return ""
}
