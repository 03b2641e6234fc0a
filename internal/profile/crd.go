package profile

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"reconform.dev/reconform/internal/profile/nearest"
)

// Version returns the version of the CRD that the contract names, or nil if it does not
// exist. [Profile.CheckFiles] reports that.
func (p *Profile) Version() *apiextensionsv1.CustomResourceDefinitionVersion {
	crds, err := p.CRDs()
	if err != nil {
		return nil
	}
	for _, crd := range crds {
		if !p.Defines(crd) {
			continue
		}
		for i := range crd.Spec.Versions {
			if crd.Spec.Versions[i].Name == p.Spec.Contract.Resource.Version {
				return &crd.Spec.Versions[i]
			}
		}
	}
	return nil
}

// Defines tells whether a CRD defines the primary resource.
func (p *Profile) Defines(crd *apiextensionsv1.CustomResourceDefinition) bool {
	resource := p.Spec.Contract.Resource
	return crd.Spec.Group == resource.Group && crd.Spec.Names.Plural == resource.Plural
}

// SchemaAt returns the schema of a field of a version, or nil.
func SchemaAt(version *apiextensionsv1.CustomResourceDefinitionVersion, path string) *apiextensionsv1.JSONSchemaProps {
	if version == nil || version.Schema == nil || path == "" {
		return nil
	}
	schema := version.Schema.OpenAPIV3Schema
	for _, key := range Steps(path) {
		if schema == nil {
			return nil
		}
		if key == First {
			if schema.Items == nil {
				return nil
			}
			schema = schema.Items.Schema
			continue
		}
		next, known := schema.Properties[key]
		if !known {
			return nil
		}
		schema = &next
	}
	return schema
}

// UnknownFields says which fields of an object a version does not have, each with one that may
// be meant. It returns none if the schema is not one that the API server takes: that is told
// elsewhere.
func UnknownFields(version *apiextensionsv1.CustomResourceDefinitionVersion, object map[string]any) (told []string) {
	if version == nil || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	var internal apiextensions.JSONSchemaProps
	if apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil) != nil {
		return nil
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return nil
	}
	for _, path := range slices.Sorted(slices.Values(unknownPaths(object, structural))) {
		name, allowed := allowedAt(structural, path)
		told = append(told, fmt.Sprintf("%s: the CRD has no such field%s", path, nearest.Question(name, allowed)))
	}
	return told
}

// ConditionsPath is the path of the conditions of an object, by the conventions of
// Kubernetes.
const ConditionsPath = "status.conditions"
