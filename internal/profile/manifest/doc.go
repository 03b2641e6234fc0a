// Package manifest reads manifests as they are shipped: a file with one or more objects, a
// folder of such files, a kustomization, which is built, or a Helm chart, which is rendered
// with its values. Nothing is fetched, and nothing is executed.
//
// An error about an object names the file, the line and the field. It says what is there,
// and what should be there.
package manifest
