package profile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/profile/strictyaml"
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

// definitionScheme knows how a CRD is completed and converted before the API server looks at it.
var definitionScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
})

// refusedDefinitions says which CRDs the API server would refuse, and why: what kubectl would say,
// with file and line.
func (p *Profile) refusedDefinitions() (problems strictyaml.Problems) {
	objects, err := p.shipped("spec.install.crds", p.Spec.Install.CRDs)
	if err != nil {
		return nil // told elsewhere
	}
	for _, object := range objects {
		if object.GroupVersionKind() != apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition") {
			continue
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if p.into(object, crd) != nil {
			continue // told elsewhere
		}
		problems = append(problems, p.problemsIn(object.field, object.Refused(refusals(crd)))...)
	}
	return problems
}

// refusals returns what the API server says of a CRD that is to be created.
func refusals(crd *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	due := crd.Spec.Names.Plural + "." + crd.Spec.Group
	if crd.Name != due && crd.Spec.Names.Plural != "" && crd.Spec.Group != "" {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), crd.Name, "it must be "+due+", which is spec.names.plural and spec.group")}
	}
	complete := crd.DeepCopy()
	complete.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	definitionScheme().Default(complete)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := definitionScheme().Convert(complete, internal, nil); err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("spec"), err)}
	}
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = []string{version.Name}
			break
		}
	}
	var found field.ErrorList
	for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), internal) {
		if strings.HasPrefix(err.Field, "status.") {
			continue // the API server writes it
		}
		for _, name := range namesInV1() {
			if rest, is := strings.CutPrefix(err.Field, name.internal); is {
				err.Field = name.v1 + rest
			}
		}
		found = append(found, err)
	}
	return found
}

// otherName is a field of a CRD that has another name where the API server looks at it.
type otherName struct{ internal, v1 string }

// namesInV1 returns these fields. Such a field holds what all versions have in common: the schema,
// for example, if it is the same in all of them.
func namesInV1() []otherName {
	return []otherName{
		{"spec.validation", "spec.versions[0].schema"},
		{"spec.subresources", "spec.versions[0].subresources"},
		{"spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"},
		{"spec.selectableFields", "spec.versions[0].selectableFields"},
		{"spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig"},
		{"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions"},
	}
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
		if schema = below(schema, key); schema == nil {
			return nil
		}
	}
	return schema
}

// below returns what a schema says of a field, of an entry of a map or, if key is First, of an
// entry of a list. It returns nil if there is no such thing.
func below(schema *apiextensionsv1.JSONSchemaProps, key string) *apiextensionsv1.JSONSchemaProps {
	switch {
	case schema == nil:
		return nil
	case key == First && schema.Items != nil:
		return schema.Items.Schema
	case key == First:
		return nil
	}
	if field, known := schema.Properties[key]; known {
		return &field
	}
	if schema.AdditionalProperties != nil {
		return schema.AdditionalProperties.Schema
	}
	return nil
}

// UnknownFields says which fields of an object a version does not have, each with one that may
// be meant. It returns none if the schema is not one that the API server takes: that is told
// elsewhere.
func UnknownFields(version *apiextensionsv1.CustomResourceDefinitionVersion, object map[string]any) (told []string) {
	if s := schemaOf(version); s != nil {
		return s.dropped(object)
	}
	return nil
}

// dropped says which fields of an object the schema does not know, and which may be meant.
func (s *schema) dropped(object map[string]any) (told []string) {
	for _, path := range slices.Sorted(slices.Values(unknownPaths(object, s.structural))) {
		name, allowed := allowedAt(s.structural, path)
		told = append(told, fmt.Sprintf("%s: the CRD has no such field%s", path, nearest.Question(name, allowed)))
	}
	return told
}

// schemaOf returns the schema of a version, or nil if it has none, or one that the API server does
// not take.
func schemaOf(version *apiextensionsv1.CustomResourceDefinitionVersion) *schema {
	if version == nil || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	s, err := newSchema(version.Schema.OpenAPIV3Schema)
	if err != nil {
		return nil
	}
	return s
}

// refused says what the API server does not take of an object. The object may be a changed one:
// then before is what it was.
func (s *schema) refused(object, before map[string]any) (told []string) {
	complete := func(object map[string]any) map[string]any {
		if object == nil {
			return nil
		}
		object = runtime.DeepCopyJSON(object)
		defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
		defaulting.Default(object, s.structural)
		return object
	}
	object = complete(object)
	errs := s.validate(object)
	if len(errs) == 0 {
		errs = s.validateRules(object, complete(before))
	}
	for _, err := range errs {
		told = append(told, fmt.Sprintf("%s: %s", strings.TrimPrefix(err.Field, "<nil>."), err.ErrorBody()))
	}
	return told
}

// ConditionsPath is the path of the conditions of an object, by the conventions of
// Kubernetes.
const ConditionsPath = "status.conditions"
