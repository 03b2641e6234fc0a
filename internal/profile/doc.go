// Package profile reads profiles: the files that describe one implementation
// of the contract each, so that the suite can be pointed at it.
//
// A profile is read in three passes. Each reports everything that it finds, with file,
// line and field:
//
//   - the text: YAML, one document, no key twice;
//   - the schema that controller-gen makes of the Go types, with the API
//     server's own libraries: unknown fields, types, bounds, CEL rules, defaults;
//   - the meaning: templates, ports and features that fit together.
//
// Load does these and looks at no other file, so that a profile can be listed
// and rendered on a machine where its controller was never built. CheckFiles
// does the rest: the CRDs, the RBAC manifests and the program are there, and
// the paths of the contract exist in the CRD.
package profile
