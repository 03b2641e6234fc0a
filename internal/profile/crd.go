package profile

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
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

// ConditionsPath is the path of the conditions of an object, by the conventions of
// Kubernetes.
const ConditionsPath = "status.conditions"
