// Command reportschema writes the JSON Schema of a report to stdout, made of its Go types
// and their comments:
//
//	reportschema ROOT ConformanceReport > docs/conformance-report.schema.json
//	reportschema ROOT ExploreReport > docs/explore-report.schema.json
//
// ROOT is the folder of the repository. It is a program of this module because it reads
// the types as controller-gen does, with the markers of Kubebuilder.
package main
