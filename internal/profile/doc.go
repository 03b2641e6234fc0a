// Package profile reads profiles. A profile is a file that describes one implementation of
// the contract, so that the suite can test it.
//
// In: a profile's file, and the manifests that it names.
// Out: a [Profile], or problems with file, line and field.
//
// Below it, strictyaml reads the text, manifest reads manifests as they are shipped,
// expectation judges numbers and times by the times that a profile declares, and nearest
// finds the word that somebody meant.
//
// A profile is read in three passes. Each reports everything that it finds, with file,
// line and field:
//
//   - the text: YAML, one document, no key twice;
//   - the schema that controller-gen makes of the Go types, with the API
//     server's own libraries: unknown fields, types, bounds, CEL rules, defaults;
//   - the meaning: templates, ports and features that fit together.
//
// Load does these passes and reads no other file but samples, so that a profile can be
// listed and rendered on a machine where its controller was never built. CheckFiles does
// the rest: it checks that the CRDs, the RBAC manifests and the program exist, and that the
// CRD has the paths of the contract.
package profile
