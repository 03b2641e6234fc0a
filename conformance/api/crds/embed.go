// Package crds holds the CustomResourceDefinitions that controller-gen makes
// from the Go types in conformance/api/v1alpha1: those of the objects that the
// bench serves, and the schema that profiles are checked with.
package crds

import "embed"

// FS holds one file for each kind, named GROUP_PLURAL.yaml.
//
//go:embed *.yaml
var FS embed.FS

// Profiles is the file of the Profile's schema, which is never served.
const Profiles = "reconform.dev_profiles.yaml"
