package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// checkServedResources compares what the controller serves with the CRDs.
func (p *Profile) checkServedResources(crds []*apiextensionsv1.CustomResourceDefinition) (problems strictyaml.Problems) {
	for i, served := range p.Spec.Serves {
		at := fmt.Sprintf("%s[%d]", servesAt, i)
		version, found := p.checkDefined(at+".resource", served.Resource, crds)
		problems = append(problems, found...)
		if len(found) > 0 || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			continue
		}
		for j, edit := range p.served[i].edits {
			for _, path := range leaves(Difference(p.served[i].object, edit.object), "") {
				if problem := schemaLacks(version.Schema.OpenAPIV3Schema, path); problem != "" && !strings.HasPrefix(path, "metadata.") {
					problems = append(problems, p.document.Problem(fmt.Sprintf("%s.edits[%d].patch", at, j), "%s", problem))
				}
			}
		}
		if len(problems) == 0 {
			problems = p.checkSampleValues(at, p.served[i], &version)
		}
	}
	return problems
}

// checkSampleValues compares a sample, and what it is after each edit, with the CRD: the API server
// would drop a field that it does not know, and refuse the object for a value. A webhook of the
// controller may put right what is refused otherwise.
func (p *Profile) checkSampleValues(at string, served Served, version *apiextensionsv1.CustomResourceDefinitionVersion) (problems strictyaml.Problems) {
	sampleAt := at + ".sample"
	if _, given := lookup(p.document.Object, sampleAt); !given {
		sampleAt = at + ".sampleFile"
	}
	sample, err := served.Object("demo")
	if err != nil {
		return p.problemsOf(sampleAt, err)
	}
	add := func(field string, told []string) {
		for _, text := range told {
			problems = append(problems, p.document.Problem(field, "%s", text))
		}
	}
	schema := schemaOf(version)
	if schema == nil {
		return nil // what is wrong with it is told elsewhere
	}
	add(sampleAt, schema.dropped(sample.Object))
	if webhooks, err := p.Webhooks(); err != nil || slices.ContainsFunc(webhooks, changes) || len(problems) > 0 {
		return problems
	}
	if add(sampleAt, schema.refused(sample.Object, nil)); len(problems) > 0 {
		return problems
	}
	for j, edit := range served.edits {
		after, err := served.named(edit.object, "demo")
		if err != nil {
			return p.problemsOf(at, err)
		}
		add(fmt.Sprintf("%s.edits[%d].patch", at, j), schema.refused(after.Object, sample.Object))
	}
	return problems
}

// changes tells whether the webhooks of a configuration may change objects.
func changes(configuration metav1.Object) bool {
	_, mutating := configuration.(*admissionregistrationv1.MutatingWebhookConfiguration)
	return mutating
}

// checkBaseFields says which fields of the base and the root the CRD does not have: the API server
// would drop them.
func (p *Profile) checkBaseFields(version *apiextensionsv1.CustomResourceDefinitionVersion) (problems strictyaml.Problems) {
	base, err := p.Base("demo")
	if err != nil {
		return p.problemsOf("spec.contract.base", err)
	}
	for _, told := range UnknownFields(version, map[string]any{"spec": base}) {
		problems = append(problems, p.document.Problem("spec.contract.base", "%s", told))
	}
	root, err := p.Root("demo")
	if err != nil {
		return append(problems, p.problemsOf("spec.contract.root", err)...)
	}
	delete(root, "metadata")
	for _, told := range UnknownFields(version, root) {
		problems = append(problems, p.document.Problem("spec.contract.root", "%s", told))
	}
	return problems
}

// leaves returns the paths of the values of an object that are not objects. Keys that a path
// cannot name are left out.
func leaves(object map[string]any, at string) (paths []string) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if strings.ContainsAny(key, ".[") {
			continue
		}
		if below, ok := object[key].(map[string]any); ok && len(below) > 0 {
			paths = append(paths, leaves(below, at+key+".")...)
			continue
		}
		paths = append(paths, at+key)
	}
	return paths
}
