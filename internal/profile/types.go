package profile

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// ProblemAt returns a problem that another package found in a field.
func (p *Profile) ProblemAt(field, message string) strictyaml.Problem {
	return p.document.Problem(field, "%s", message)
}

// fieldTypes returns the types that mapped fields may have in the CRD. Env may also be a
// list, and configMapRef a string.
func fieldTypes() map[string][]string {
	return map[string][]string{
		"image": {"string"}, "replicas": {"integer"}, "port": {"integer"}, "env": {"object"}, "configMapRef": {"object"},
		"deploymentName": {"string"}, "readyReplicas": {"integer"}, "phase": {"string"}, "serviceURL": {"string"},
		"conditions": {"array"}, "observedGeneration": {"integer"},
	}
}

// CheckTypes compares the types of the mapped fields with the CRD's.
func (p *Profile) CheckTypes() error {
	var problems strictyaml.Problems
	allowed := fieldTypes()
	look := func(section string, fields map[string]v1alpha1.Field) {
		for name, field := range fields {
			schema, types := SchemaAt(p.Version(), field.Path), allowed[name]
			if field.As == v1alpha1.AsList {
				types = []string{"array"}
			} else if field.As == v1alpha1.AsName || field.Format != "" {
				types = []string{"string"}
			}
			if schema == nil || schema.Type == "" || schema.XIntOrString || slices.Contains(types, schema.Type) {
				continue
			}
			problems = append(problems, p.ProblemAt("spec.contract."+section+"."+name+".path",
				fmt.Sprintf("%s is of type %s in the CRD; %s is of type %s", field.Path, schema.Type, name, strings.Join(types, " or "))))
		}
	}
	look("spec", p.SpecFields())
	look("status", p.StatusFields())
	return problems.Err()
}

// Join sorts problems in the order of the file. It returns nil if there are none.
func Join(problems ...strictyaml.Problem) error { return strictyaml.Problems(problems).Err() }
