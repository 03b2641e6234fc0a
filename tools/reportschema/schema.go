package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

const (
	apiPackage = "./conformance/api/v1alpha1"
	apiVersion = "reconform.dev/v1alpha1"
)

// schemaOf returns the schema of a kind of report, by the types in the repository.
func schemaOf(root, kind string) ([]byte, error) {
	loaded, err := loader.LoadRootsWithConfig(&packages.Config{Dir: root}, apiPackage)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", apiPackage, err)
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, fmt.Errorf("registering the markers: %w", err)
	}
	parser := &crd.Parser{
		Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{}, AllowDangerousTypes: true,
	}
	crd.AddKnownTypes(parser)
	report := crd.TypeIdent{Package: loaded[0], Name: kind}
	parser.NeedPackage(report.Package)
	parser.NeedFlattenedSchemaFor(report)
	if failed := report.Package.Errors; len(failed) > 0 {
		return nil, fmt.Errorf("reading the types of %s: %w", apiPackage, failed[0])
	}
	props, found := parser.FlattenedSchemata[report]
	if !found {
		return nil, errors.New("there is no type " + kind)
	}
	data, err := json.Marshal(props)
	if err != nil {
		return nil, fmt.Errorf("encoding the schema: %w", err)
	}
	schema := map[string]any{}
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, fmt.Errorf("decoding the schema: %w", err)
	}
	closed(schema)
	schema["$schema"], schema["title"] = "http://json-schema.org/draft-07/schema#", kind
	fields := schema["properties"].(map[string]any)
	fields["apiVersion"], fields["kind"] = map[string]any{"const": apiVersion}, map[string]any{"const": kind}
	schema["required"] = append([]any{"apiVersion", "kind"}, schema["required"].([]any)...)
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// closed drops what only Kubernetes understands from a schema and all below it. After that
// the schema refuses fields that the types do not have, as the suite does.
func closed(schema map[string]any) {
	for name := range maps.Clone(schema) {
		if len(name) > 2 && name[:2] == "x-" {
			delete(schema, name)
		}
	}
	if fields, ok := schema["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			closed(fields[name].(map[string]any))
		}
		schema["additionalProperties"] = false
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below, ok := schema[name].(map[string]any); ok {
			closed(below)
		}
	}
}
