package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

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
